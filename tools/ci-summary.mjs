// Adds up the test results that the projects left in out/: vitest.json (vitest's JSON reporter) and test-cpp.json
// ({"passed", "failed", "skipped"}). Prints the failures and, last, `N passed, N failed, N skipped`.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export function projectFolders() {
  return ['apps', 'libs'].flatMap((group) => readdirSync(group).map((name) => join(group, name)));
}

export const resultFiles = (project) => [join(project, 'out/vitest.json'), join(project, 'out/test-cpp.json')];

/** Prints the sum. False where a test failed or none passed. */
export function summarize() {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const file of projectFolders().flatMap(resultFiles)) {
    if (!existsSync(file)) continue;
    const counts = file.endsWith('vitest.json') ? ofVitest(file) : ofCpp(file);
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped += counts.skipped;
  }
  console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  return total.failed === 0 && total.passed > 0;
}

function ofVitest(file) {
  const result = JSON.parse(readFileSync(file, 'utf8'));
  const counts = {
    passed: result.numPassedTests,
    failed: result.numFailedTests,
    skipped: result.numPendingTests + result.numTodoTests,
  };
  for (const suite of result.testResults) {
    for (const test of suite.assertionResults)
      if (test.status === 'failed') console.log(`FAILED ${file}: ${test.fullName}`);
    // A file that could not be loaded has no tests to count.
    if (suite.status === 'failed' && !suite.assertionResults.some((test) => test.status === 'failed')) {
      console.log(`FAILED ${suite.name}: ${String(suite.message).split('\n')[0]}`);
      counts.failed += 1;
    }
  }
  return counts;
}

function ofCpp(file) {
  const { passed = 0, failed = 0, skipped = 0 } = JSON.parse(readFileSync(file, 'utf8'));
  if (failed > 0) console.log(`FAILED ${file}: ${failed}`);
  return { passed, failed, skipped };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exit(summarize() ? 0 : 1);
