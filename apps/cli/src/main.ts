// The entry of `tf`.

import { leaveOnClosedPipe } from './output.ts';
import { runProgram } from './program.ts';

leaveOnClosedPipe();
process.exitCode = await runProgram(process.argv.slice(2));
