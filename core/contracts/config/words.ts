/** Basic configuration values: names, globs, addresses, secret names. */
import * as z from 'zod';
import { longestExecutionSeconds } from '../host-limits.ts';
import { environmentPattern, isSecretName, nameOfYourOwn } from './secret-names.ts';

export const word = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'letters, digits, ".", "_" and "-", at most 64');
export const glob = z.string().min(1);
/** Seconds, at most a year so that computed times stay valid. */
export const seconds = z.int().positive().max(31_536_000);
/** US dollars, limited to amounts that micro-dollars can represent exactly. */
export const usd = z.number().nonnegative().max(9_000_000_000);
/** Milliseconds, at most a day. Node timers set for more than 24 days fire immediately. */
export const milliseconds = z.int().max(86_400_000);
/** Size of a body, at most 100 MiB so that it fits into a string. */
export const bodyBytes = z
  .int()
  .positive()
  .max(100 * 1024 * 1024);

/** Name of an environment variable or secret, never the secret itself. */
export const secretName = z
  .string()
  .regex(environmentPattern, 'the name of an environment variable: [A-Z][A-Z0-9_]*')
  .refine(isSecretName, nameOfYourOwn)
  .meta({ description: 'Name of the environment variable (or secret) that holds the value.' });

export const address = z.url({ protocol: /^https?$/, error: 'an http(s) URL' }).refine((text) => {
  const url = URL.parse(text);
  return url === null || (url.username === '' && url.password === '');
}, 'a URL without user name and password');

export const kibibyte = 1024;
export const executionMs = z
  .int()
  .positive()
  .max(longestExecutionSeconds * 1000);
export const bytes = z
  .int()
  .positive()
  .max(4 * kibibyte * kibibyte);
