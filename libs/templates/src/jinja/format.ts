// Python's three ways to format: `'%5.2f' % x`, `'{:>5}'.format(x)`, and the fixed digits that both and `round` need.

import { Text } from './text.ts';
import { maxCharacters } from './limits.ts';
import {
  Dict,
  List,
  formatFloat,
  represent,
  TemplateError,
  toText,
  typeName,
  Undefined,
  type Value,
} from './values.ts';

/** A value that is text stays its author's; one in digits and blanks is the caller's, as printed numbers are. */
interface Field {
  readonly fill: string;
  readonly align: '<' | '>' | '^' | '=' | null;
  readonly sign: string;
  readonly alternate: boolean;
  readonly width: number;
  readonly grouping: string;
  readonly precision: number | null;
  readonly type: string;
}

// `%`

const percentFields = /%(?:\(([^)]*)\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d*))?[hlL]?(.|$)/gs;

/** `pattern % given`. */
export function formatPercent(pattern: Text, given: Value): Text {
  const values = given instanceof List && given.isTuple ? given.items : [given];
  const parts: Text[] = [];
  let start = 0;
  let next = 0;
  let isNamed = false;
  const take = (): Value => {
    if (next >= values.length) throw new TemplateError('not enough arguments for format string');
    return values[next++]!;
  };
  const number = (text: string) => {
    if (text !== '*') return Number(text);
    const value = take();
    if (typeof value !== 'bigint') throw new TemplateError('* wants int');
    return Number(value);
  };
  for (const match of pattern.value.matchAll(percentFields)) {
    const [whole, key, flags, width, precision, type] = match as unknown as [string, ...(string | undefined)[]];
    parts.push(pattern.slice(start, match.index));
    start = match.index + whole.length;
    if (type === '%') {
      parts.push(Text.template('%'));
      continue;
    }
    isNamed ||= key !== undefined;
    const wide = width === undefined ? 0 : number(width);
    const precise = precision === undefined ? null : number(precision);
    const value = key === undefined ? take() : named(given, key);
    const field: Field = {
      fill: flags!.includes('0') && !flags!.includes('-') ? '0' : ' ',
      align: flags!.includes('-') || wide < 0 ? '<' : flags!.includes('0') ? '=' : '>',
      sign: flags!.includes('+') ? '+' : flags!.includes(' ') ? ' ' : '-',
      alternate: flags!.includes('#'),
      width: Math.abs(wide),
      grouping: '',
      precision: precise,
      type: type!,
    };
    parts.push(percentField(value, field));
  }
  const isMapping = given instanceof Dict || given instanceof Undefined || (given instanceof List && !given.isTuple);
  if (!isNamed && next < values.length && !isMapping) {
    throw new TemplateError('not all arguments converted during string formatting');
  }
  parts.push(pattern.slice(start, pattern.value.length));
  return Text.concat(parts);
}

function named(given: Value, key: string): Value {
  if (!(given instanceof Dict)) throw new TemplateError('format requires a mapping');
  const value = given.getText(key);
  if (value === undefined) throw new TemplateError(`format has no value for '${key}'`);
  return value;
}

function percentField(value: Value, field: Field): Text {
  const { type } = field;
  const align = field.align === '=' ? '>' : field.align;
  if (type === 's') return textField(toText(value), { ...field, align, fill: ' ' });
  if (type === 'r' || type === 'a')
    return textField(Text.caller(asciiWhere(type === 'a', represent(value))), { ...field, align, fill: ' ' });
  if (type === 'c') {
    const isCode = typeof value === 'bigint' || typeof value === 'boolean';
    const character = isCode ? characterOf(BigInt(value)) : toText(value);
    if (Array.from(character.value).length !== 1) throw new TemplateError('%c requires int or char');
    return textField(character, { ...field, align, fill: ' ', precision: null });
  }
  if (type === 'd' || type === 'i' || type === 'u') {
    if (typeof value === 'number') return numberField(BigInt(Math.trunc(value)), { ...field, type: 'd' });
    if (typeof value === 'bigint' || typeof value === 'boolean') {
      return numberField(BigInt(value), { ...field, type: 'd' });
    }
    throw new TemplateError(`%${type} format: a real number is required, not ${typeName(value)}`);
  }
  if (type === 'x' || type === 'X' || type === 'o') {
    if (typeof value === 'bigint' || typeof value === 'boolean') return numberField(BigInt(value), field);
    throw new TemplateError(`%${type} format: an integer is required, not ${typeName(value)}`);
  }
  if ('eEfFgG'.includes(type) && type !== '') {
    if (typeof value === 'bigint' || typeof value === 'boolean' || typeof value === 'number') {
      return numberField(Number(value), field);
    }
    throw new TemplateError(`must be real number, not ${typeName(value)}`);
  }
  throw new TemplateError(type === '' ? 'incomplete format' : `unsupported format character '${type}'`);
}

// Format specifications

const specification = /^(?:(.)?([<>=^]))?([-+ ]?)(#?)(0?)(\d*)([,_]?)(?:\.(\d+))?([a-zA-Z%]?)$/su;

/** Python's format(value, spec). */
export function formatValue(value: Value, spec: string): Text {
  if (spec === '') return toText(value);
  const match = specification.exec(spec) as unknown as (string | undefined)[] | null;
  if (match === null) throw new TemplateError(`invalid format specifier '${spec}'`);
  const [, fill, align, sign, alternate, zero, width, grouping, precision, type] = match;
  const field: Field = {
    fill: fill ?? (zero === '0' ? '0' : ' '),
    align: (align as Field['align']) ?? null,
    sign: sign === '' ? '-' : sign!,
    alternate: alternate === '#',
    width: Number(width),
    grouping: grouping!,
    precision: precision === undefined ? null : Number(precision),
    type: type!,
  };
  if (value instanceof Text) {
    if (sign !== '' || field.alternate || grouping !== '' || align === '=' || (type !== '' && type !== 's')) {
      throw new TemplateError(`invalid format specifier '${spec}' for a string`);
    }
    return textField(value, { ...field, align: field.align ?? '<' });
  }
  const isNumber = typeof value === 'bigint' || typeof value === 'number';
  if (!isNumber && typeof value !== 'boolean') {
    throw new TemplateError(`unsupported format string '${spec}' for ${typeName(value)}`);
  }
  const aligned: Field = { ...field, align: field.align ?? (zero === '0' ? '=' : '>') };
  if (type === 'c' && typeof value !== 'number') {
    return textField(characterOf(BigInt(value)), aligned);
  }
  if (field.precision !== null && typeof value !== 'number' && !/[eEfFgG%]/.test(type!)) {
    throw new TemplateError('precision not allowed in an integer format specifier');
  }
  return numberField(typeof value === 'boolean' ? BigInt(value) : value, aligned);
}

function characterOf(code: bigint): Text {
  if (code < 0 || code > 0x10ffff) throw new TemplateError('%c arg not in range(0x110000)');
  return Text.caller(String.fromCodePoint(Number(code)));
}

function textField(text: Text, { width, precision, align, fill }: Field): Text {
  let cut = text;
  if (precision !== null) {
    const kept = Array.from(text.value).slice(0, precision).join('');
    cut = text.slice(0, kept.length);
  }
  const missing = missingOf(width, Array.from(cut.value).length);
  const left = align === '>' ? missing : align === '^' ? Math.floor(missing / 2) : 0;
  return Text.concat([Text.template(fill.repeat(left)), cut, Text.template(fill.repeat(missing - left))]);
}

function missingOf(width: number, length: number): number {
  if (width > maxCharacters) throw new TemplateError(`width ${width} is too large`);
  return Math.max(0, width - length);
}

function numberField(value: bigint | number, field: Field): Text {
  const isNegative = value < 0 || Object.is(value, -0);
  const magnitude = isNegative ? -value : value;
  const { prefix, digits } =
    typeof magnitude === 'bigint' ? integerDigits(magnitude, field) : floatDigits(magnitude, field);
  const sign = isNegative ? '-' : field.sign === '-' ? '' : field.sign;
  const { fill, align, width, grouping } = field;
  const head = sign + prefix;
  if (align === '=' && fill === '0' && grouping !== '')
    return Text.caller(head + groupedTo(digits, grouping, width - head.length));
  const body = group(digits, grouping);
  const missing = missingOf(width, head.length + body.length);
  if (align === '=') return Text.caller(head + fill.repeat(missing) + body);
  return textField(Text.caller(head + body), { ...field, precision: null });
}

function integerDigits(value: bigint, field: Field): { prefix: string; digits: string } {
  const { type, precision, alternate } = field;
  if (type !== '' && 'eEfFgG%'.includes(type)) return floatDigits(Number(value), field);
  const bases: Readonly<Record<string, number>> = { '': 10, d: 10, n: 10, x: 16, X: 16, o: 8, b: 2 };
  const base = bases[type];
  if (base === undefined) throw new TemplateError(`unknown format code '${type}' for int`);
  const digits = value.toString(base).padStart(precision ?? 0, '0');
  const prefix = alternate && base !== 10 ? `0${type}` : '';
  return { prefix, digits: type === 'X' ? digits.toUpperCase() : digits };
}

function floatDigits(value: number, { type, precision, alternate }: Field): { prefix: string; digits: string } {
  const isUpper = type === 'E' || type === 'F' || type === 'G';
  const shown = (text: string) => ({ prefix: '', digits: isUpper ? text.toUpperCase() : text });
  if (!Number.isFinite(value)) return shown(Number.isNaN(value) ? 'nan' : 'inf');
  switch (type.toLowerCase()) {
    case '':
      return shown(precision === null ? formatFloat(value) : general(value, precision, false, true));
    case 'f':
      return shown(fixed(value, precision ?? 6) + (alternate && precision === 0 ? '.' : ''));
    case '%':
      return { prefix: '', digits: `${fixed(value * 100, precision ?? 6)}%` };
    case 'e':
      return shown(exponential(value, precision ?? 6));
    case 'g':
    case 'n':
      return shown(general(value, precision ?? 6, alternate, false));
    default:
      throw new TemplateError(`unknown format code '${type}' for float`);
  }
}

function general(value: number, precision: number, keepsZeros: boolean, isPlain: boolean): string {
  const digits = Math.max(1, precision);
  const exponent = value === 0 ? 0 : Number(exponential(value, digits - 1).split('e')[1]);
  const isExponential = exponent < -4 || exponent >= (isPlain ? digits - 1 : digits);
  const text = isExponential ? exponential(value, digits - 1) : fixed(value, digits - 1 - exponent);
  if (keepsZeros) return text;
  const [mantissa, tail] = text.split('e') as [string, string | undefined];
  const short = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa;
  if (tail !== undefined) return `${short}e${tail}`;
  return isPlain && !short.includes('.') ? `${short}.0` : short;
}

/** `digits` after the point, of the exact binary value; a tie goes to the even neighbour. JavaScript's goes up. */
export function fixed(value: number, digits: number): string {
  if (digits > 100) throw new TemplateError(`${digits} digits are too many`);
  if (Math.abs(value) >= 1e21) return BigInt(value).toString() + (digits > 0 ? `.${'0'.repeat(digits)}` : '');
  const text = value.toFixed(digits);
  if (digits >= 100) return text;
  const longer = value.toFixed(digits + 1);
  const isTie =
    longer.endsWith('5') && Number(longer) === value && /50*$/.test(value.toFixed(Math.min(100, digits + 60)));
  if (!isTie) return text;
  const down = longer.slice(0, -1).replace(/\.$/, '');
  return '02468'.includes(down.at(-1)!) ? down : text;
}

function exponential(value: number, digits: number): string {
  if (digits > 100) throw new TemplateError(`${digits} digits are too many`);
  const rounded = () => {
    const text = value.toExponential(digits);
    if (digits >= 100) return text;
    const [mantissa, exponent] = value.toExponential(digits + 1).split('e') as [string, string];
    const [exact] = value.toExponential(Math.min(100, digits + 60)).split('e') as [string];
    const isTie = mantissa.endsWith('5') && exact.startsWith(mantissa) && /50*$/.test(exact);
    const down = mantissa.slice(0, -1).replace(/\.$/, '');
    return isTie && '02468'.includes(down.at(-1)!) ? `${down}e${exponent}` : text;
  };
  return rounded().replace(/e([-+])(\d)$/, 'e$10$2');
}

function group(digits: string, grouping: string): string {
  if (grouping === '') return digits;
  return digits.replace(/^[0-9a-fA-F]+/, (whole) => whole.replace(/\B(?=(?:\d{3})+(?!\d))/g, grouping));
}

/** Zeros in front that take their separators too. */
function groupedTo(digits: string, grouping: string, width: number): string {
  let padded = digits;
  while (group(padded, grouping).length < width) padded = `0${padded}`;
  return group(padded, grouping);
}

export function asciiWhere(isAscii: boolean, text: string): string {
  if (!isAscii) return text;
  return text.replace(/[^\0-\x7f]/gu, (character) => {
    const code = character.codePointAt(0)!;
    if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
    return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
  });
}
