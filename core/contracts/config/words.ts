/** Basic values of the configuration: names, globs, addresses, names of secrets. */
import * as z from 'zod';
import { longestExecutionSeconds } from '../host-limits.ts';

export const word = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'letters, digits, ".", "_" and "-", at most 64');
export const glob = z.string().min(1);
/** Seconds, at most a year, so that computed times stay valid. */
export const seconds = z.int().positive().max(31_536_000);
/** US dollars, limited to amounts that are exact in micro-dollars. */
export const usd = z.number().nonnegative().max(9_000_000_000);
/** Milliseconds, at most a day. Node timers above 24 days fire at once. */
export const milliseconds = z.int().max(86_400_000);
/** Size of a body, at most 100 MiB, which fits into a string. */
export const bodyBytes = z
  .int()
  .positive()
  .max(100 * 1024 * 1024);

/**
 * Environment variables of the gateway process. Without this list, an administrator could make the gateway send its
 * cloud credentials to any address.
 */
const ownPrefixes = [
  'AWS_',
  'LAMBDA_',
  'NODE_',
  'NPM_',
  'LD_',
  'DYLD_',
  'BASH_',
  'GIT_',
  'SSH_',
  'TABLE_',
  'SECRET_',
].concat(['POWERTOOLS_', 'KUBERNETES_']);
const ownNames = ['PATH', 'HOME', 'USER', 'SHELL', 'PWD', 'TMPDIR', 'LANG', 'TZ', 'HOSTNAME'];
const isOwn = (name: string): boolean =>
  ownNames.includes(name) || ownPrefixes.some((prefix) => name.startsWith(prefix));
/** Lists all reserved names, so that the error message is complete. */
const nameOfYourOwn = `a name of your own: not ${ownNames.join(', ')}, and none that begins with ${ownPrefixes.join(', ')}`;
export const environmentPattern = /^[A-Z][A-Z0-9_]{0,127}$/;

/** Checks whether a secret may be read from this environment variable. */
export const isSecretName = (name: string): boolean => environmentPattern.test(name) && !isOwn(name);

/** Name of an environment variable or secret, never the secret itself. */
export const secretName = z
  .string()
  .regex(environmentPattern, 'the name of an environment variable: [A-Z][A-Z0-9_]*')
  .refine(isSecretName, nameOfYourOwn)
  .meta({ description: 'Name of the environment variable (or secret) that holds the value.' });

export const address = z.url({ protocol: /^https?$/, error: 'an http(s) URL' }).refine((text) => {
  const url = URL.parse(text);
  return url !== null && url.username === '' && url.password === '';
}, 'a URL without user name and password');

/** Default name of the administrator's token. */
export const defaultAdminTokenName = 'GATEWAY_ADMIN_TOKEN';

/** Default name of the key of capability tickets. */
export const defaultTicketKeyName = 'GATEWAY_TICKET_KEY';

export const kibibyte = 1024;
export const executionMs = z
  .int()
  .positive()
  .max(longestExecutionSeconds * 1000);
export const bytes = z
  .int()
  .positive()
  .max(4 * kibibyte * kibibyte);
