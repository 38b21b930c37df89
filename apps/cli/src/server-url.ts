// A server's address as people write it.

import { CliError, exitCodes } from './output.ts';

/** The root of a server, whatever of it was given. */
export function serverUrl(given: string): string {
  const withScheme = /^https?:\/\//.test(given) ? given : `http://${given}`;
  let url: URL;
  try {
    url = new URL(withScheme);
  } catch {
    throw new CliError(`--url ${given} is no URL; give one like http://127.0.0.1:8080`, exitCodes.usage);
  }
  return `${url.origin}${url.pathname.replace(/\/(?:v1\/?)?$/, '')}`;
}
