/** Reading CDK context: each value is checked, and a message says what is allowed. */
import type { Node } from 'constructs';

export function text(node: Node, key: string, fallback: string): string {
  const value: unknown = node.tryGetContext(key) ?? fallback;
  if (typeof value === 'string' && /^[\w./:\\ -]+$/.test(value)) return value;
  throw new Error(`Context "${key}" must be a plain word or path, got ${JSON.stringify(value)}.`);
}

/** The first of the words is the default. */
export function word<const W extends readonly [string, ...string[]]>(node: Node, key: string, words: W): W[number] {
  const value = text(node, key, words[0]);
  if (words.includes(value)) return value;
  throw new Error(`Context "${key}" must be ${words.join(' or ')}, got ${JSON.stringify(value)}.`);
}

export function whole(node: Node, key: string, fallback: number, least = 1): number {
  const value = Number(node.tryGetContext(key) ?? fallback);
  if (Number.isInteger(value) && value >= least) return value;
  throw new Error(
    `Context "${key}" must be a whole number from ${least}, got ${JSON.stringify(node.tryGetContext(key))}.`,
  );
}

export const optional = <T>(node: Node, key: string, read: () => T): T | undefined =>
  node.tryGetContext(key) === undefined ? undefined : read();

/**
 * Comma-separated on the command line, a list in `cdk.json`. Each names one thing: a wildcard would be a broader grant. Only
 * the six characters that Secrets Manager adds to a name may be left open.
 */
export function arns(node: Node, key: string, service: string, rest: RegExp): readonly string[] {
  return list(node, key).map((one) => {
    const [, found, tail = ''] = String(one).match(/^arn:aws[a-z-]*:([a-z0-9]+):(.*)$/) ?? [];
    if (found === service && rest.test(tail)) return String(one);
    throw new Error(`Context "${key}" must hold ARNs of ${service}, each of one thing, got ${JSON.stringify(one)}.`);
  });
}

/** Comma-separated on the command line, a list in `cdk.json`; empty where nothing is given. */
export function list(node: Node, key: string): readonly unknown[] {
  const value: unknown = node.tryGetContext(key) ?? [];
  if (typeof value === 'string') return value === '' ? [] : value.split(',');
  return Array.isArray(value) ? value : [value];
}

/** @throws naming the first value that has not this form. */
export function words(node: Node, key: string, form: RegExp, what: string): readonly string[] {
  return list(node, key).map((one) => {
    if (typeof one === 'string' && form.test(one)) return one;
    throw new Error(`Context "${key}" must hold ${what}, got ${JSON.stringify(one)}.`);
  });
}
