import { expect, test } from 'vitest';
import { testServer } from './scripted-server.ts';

interface Family {
  help: number;
  type: string;
  samples: { name: string; labels: string; value: number }[];
}

/** The exposition format, strictly: one HELP and one TYPE before a family's samples, no series twice (G26). */
function parse(text: string): Map<string, Family> {
  expect(text.endsWith('\n')).toBe(true);
  const families = new Map<string, Family>();
  const series = new Set<string>();
  for (const line of text.trimEnd().split('\n')) {
    if (line === '') continue;
    const comment = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.*)$/.exec(line);
    if (comment !== null) {
      const [, kind, name, rest] = comment as unknown as [string, string, string, string];
      const family = families.get(name) ?? { help: 0, type: '', samples: [] };
      expect(family.samples).toHaveLength(0);
      if (kind === 'HELP') family.help += 1;
      else family.type = rest;
      families.set(name, family);
      continue;
    }
    const sample = /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)$/.exec(line);
    expect(sample, line).not.toBeNull();
    const [, name, labels, value] = sample as unknown as [string, string, string | undefined, string];
    const key = `${name}{${labels ?? ''}}`;
    expect(series.has(key), key).toBe(false);
    series.add(key);
    const family = families.get(name) ?? families.get(name.replace(/_(?:bucket|sum|count)$/, ''));
    expect(family, name).toBeDefined();
    family?.samples.push({ name, labels: labels ?? '', value: Number(value) });
  }
  return families;
}

test('metrics parse, before and after requests, whatever the model is called', async () => {
  const server = testServer({ model: { id: 'quote " slash \\ ä' } });
  parse((await server.get('/metrics')).body);
  await server.chat();
  await server.chat({ stream: true });
  const { body, headers, status } = await server.get('/metrics');
  expect(status).toBe(200);
  expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
  const families = parse(body);
  for (const [name, { help, type, samples }] of families) {
    expect([help, name]).toEqual([1, name]);
    if (type === 'counter') expect(name).toMatch(/_total$/);
    if (name.startsWith('tensorfold')) expect(name).not.toContain(':');
    if (type !== 'histogram') continue;
    const buckets = samples.filter((sample) => sample.name.endsWith('_bucket'));
    const values = buckets.map((bucket) => bucket.value);
    expect(values).toEqual([...values].sort((a, b) => a - b));
    if (buckets.length > 0) {
      expect(buckets.at(-1)?.labels).toContain('le="+Inf"');
      expect(buckets.at(-1)?.value).toBe(samples.find((sample) => sample.name.endsWith('_count'))?.value);
    }
  }
  const value = (name: string) => families.get(name)?.samples[0]?.value;
  expect(value('tensorfold_requests_total')).toBe(2);
  expect(value('tensorfold_completion_tokens_total')).toBe(10);
  expect(value('vllm:generation_tokens_total')).toBe(10);
  expect(value('tensorfold_ready')).toBe(1);
});

test('the counters of /health and /metrics are the same numbers', async () => {
  const server = testServer();
  await server.chat();
  const health = (await server.get('/health')).json;
  const families = parse((await server.get('/metrics')).body);
  const value = (name: string) => families.get(name)?.samples[0]?.value;
  expect(value('tensorfold_prompt_tokens_total')).toBe(health.prompt_tokens_total);
  expect(value('tensorfold_rounds_total')).toBe(health.rounds_total);
  expect(value('tensorfold_drafted_tokens_total')).toBe(health.drafted_total);
});

test('refusals and failures are counted by route and code, once', async () => {
  const server = testServer({ play: { rounds: [['a']], failure: { round: 0, error: new Error('broken') } } });
  await server.chat({ max_tokens: 100_000 });
  await server.post('/v1/responses', { input: 5 });
  await server.chat();
  await server.chat({ stream: true });
  const { body } = await server.get('/metrics');
  const lines = body.split('\n').filter((line) => line.startsWith('tensorfold_request_errors_total{'));
  expect(lines.sort()).toEqual([
    'tensorfold_request_errors_total{model="scripted",route="chat",code="context_length_exceeded"} 1',
    'tensorfold_request_errors_total{model="scripted",route="chat",code="server_error"} 2',
    'tensorfold_request_errors_total{model="scripted",route="responses",code="invalid_request_error"} 1',
  ]);
});

test('vLLM names have the numbers of ours', async () => {
  const server = testServer();
  await server.chat();
  await server.chat({ max_tokens: 2 });
  const families = parse((await server.get('/metrics')).body);
  const samplesOf = (name: string) =>
    (families.get(name)?.samples ?? []).map(({ name: sample, labels, value }) => [
      sample.replace(name, ''),
      labels.replace(/model(?:_name)?="[^"]*",?/, ''),
      value,
    ]);
  for (const [ours, theirs] of [
    ['time_to_first_token_seconds', 'time_to_first_token_seconds'],
    ['time_per_output_token_seconds', 'request_time_per_output_token_seconds'],
    ['request_seconds', 'e2e_request_latency_seconds'],
    ['request_prompt_tokens', 'request_prompt_tokens'],
    ['request_completion_tokens', 'request_generation_tokens'],
    ['drafted_tokens_total', 'spec_decode_num_draft_tokens_total'],
    ['accepted_tokens_total', 'spec_decode_num_accepted_tokens_total'],
  ]) {
    expect(samplesOf(`vllm:${theirs}`).length).toBeGreaterThan(0);
    expect(samplesOf(`vllm:${theirs}`)).toEqual(samplesOf(`tensorfold_${ours}`));
  }
  expect(samplesOf('vllm:request_success_total')).toEqual([
    ['', 'finished_reason="stop"', 1],
    ['', 'finished_reason="length"', 1],
  ]);
});

test('vLLM names can be left out', async () => {
  const server = testServer({ config: { metricsCompat: 'none' } });
  expect((await server.get('/metrics')).body).not.toContain('vllm:');
});
