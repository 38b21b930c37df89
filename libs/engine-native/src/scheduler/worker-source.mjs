// The worker's entry where sources run as they are (tests, tools): TypeScript through tsx. Packages start worker.js.
import { register } from 'tsx/esm/api';

register();
await import('./worker.ts');
