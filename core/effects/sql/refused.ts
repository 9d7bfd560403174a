/**
 * The first word of text that the grammar rejects. A DELETE in another dialect is still a DELETE, so a policy that
 * blocks deletions can block it instead of leaving it to a reviewer.
 */
import { foldUnicode } from '#core/text/matching/fold-unicode.ts';
import { type Capability, type Operation, operation } from './operation.ts';

const firstWord = /^(?:\s|;|\(|--[^\n]*\n|#[^\n]*\n|\/\*(?:(?!\*\/)[\s\S])*\*\/)*([a-z]+)/i;

const capabilities: Readonly<Record<string, Capability>> = {
  delete: 'delete',
  drop: 'delete',
  truncate: 'delete',
  grant: 'write',
  revoke: 'write',
  insert: 'write',
  replace: 'write',
  update: 'write',
  merge: 'write',
  alter: 'write',
  create: 'write',
  copy: 'execute',
  load: 'execute',
  call: 'execute',
  do: 'execute',
};

/** Returns one operation without a target, or none. */
export function fallbackOperation(text: string): Operation[] {
  const verb = firstWord.exec(foldUnicode(text.slice(0, 4096)))?.[1]?.toLowerCase() ?? '';
  const capability = Object.hasOwn(capabilities, verb) ? capabilities[verb] : undefined;
  return capability === undefined ? [] : [operation(verb, capability, '', { object: 'table', guessed: true })];
}
