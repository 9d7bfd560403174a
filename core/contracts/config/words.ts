/** What values of the configuration are made of: names, globs, addresses, names of secrets. */
import * as z from 'zod';
import { longestExecutionSeconds } from '../host-limits.ts';

export const word = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'letters, digits, ".", "_" and "-", at most 64');
export const glob = z.string().min(1);
/** At most a year, so that a time in the future stays one that a clock knows. */
export const seconds = z.int().positive().max(31_536_000);
/** At most what is exact in micro-dollars. */
export const usd = z.number().nonnegative().max(9_000_000_000);
/** At most a day: a timer of Node above 24 days ends at once. */
export const milliseconds = z.int().max(86_400_000);
/** At most 100 MiB, which a text in memory still holds. */
export const bodyBytes = z
  .int()
  .positive()
  .max(100 * 1024 * 1024);

/**
 * Names the gateway's own process lives by. Without this list an administrator who edits the configuration could have the
 * gateway send its cloud credentials to an address of their choice.
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
/** All of them: an operator who meets the refusal did not know which are taken. */
const nameOfYourOwn = `a name of your own: not ${ownNames.join(', ')}, and none that begins with ${ownPrefixes.join(', ')}`;
export const environmentPattern = /^[A-Z][A-Z0-9_]{0,127}$/;

/** Whether a secret may be read under this environment name. */
export const isSecretName = (name: string): boolean => environmentPattern.test(name) && !isOwn(name);

/** The name of an environment variable or secret; never the secret. */
export const secretName = z
  .string()
  .regex(environmentPattern, 'the name of an environment variable: [A-Z][A-Z0-9_]*')
  .refine(isSecretName, nameOfYourOwn)
  .meta({ description: 'Name of the environment variable (or secret) that holds the value.' });

export const address = z.url({ protocol: /^https?$/, error: 'an http(s) URL' }).refine((text) => {
  const url = URL.parse(text);
  return url !== null && url.username === '' && url.password === '';
}, 'a URL without user name and password');

/** Where the administrator's token is looked for unless the configuration says otherwise. */
export const defaultAdminTokenName = 'GATEWAY_ADMIN_TOKEN';

/** Where the key of capability tickets is looked for unless the configuration says otherwise. */
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
