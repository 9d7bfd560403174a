/** Reads CDK context. Each value is checked, and errors list the allowed values. */
import type { Node } from 'constructs';

export function textContext(node: Node, key: string, fallback: string): string {
  const value: unknown = node.tryGetContext(key) ?? fallback;
  if (typeof value === 'string' && /^[\w./:\\ -]+$/.test(value)) return value;
  throw new Error(`Context "${key}" must be a plain word or path, got ${JSON.stringify(value)}.`);
}

/** Reads a word from the given list; the first word is the default. */
export function word<const W extends readonly [string, ...string[]]>(node: Node, key: string, words: W): W[number] {
  const value = textContext(node, key, words[0]);
  if (words.includes(value)) return value;
  throw new Error(`Context "${key}" must be ${words.join(' or ')}, got ${JSON.stringify(value)}.`);
}

export function wholeContext(node: Node, key: string, fallback: number, least = 1): number {
  const value = Number(node.tryGetContext(key) ?? fallback);
  if (Number.isInteger(value) && value >= least) return value;
  throw new Error(
    `Context "${key}" must be a whole number from ${least}, got ${JSON.stringify(node.tryGetContext(key))}.`,
  );
}

export const optionalContext = <T>(node: Node, key: string, read: () => T): T | undefined =>
  node.tryGetContext(key) === undefined ? undefined : read();

/**
 * Reads ARNs: comma-separated on the command line, or a list in `cdk.json`. Wildcards are rejected because they would
 * grant more, except for the six characters that Secrets Manager adds to a name.
 */
export function arns(node: Node, key: string, service: string, rest: RegExp): readonly string[] {
  return list(node, key).map((one) => {
    const [, found, tail = ''] = String(one).match(/^arn:aws[a-z-]*:([a-z0-9]+):(.*)$/) ?? [];
    if (found === service && rest.test(tail)) return String(one);
    throw new Error(
      `Context "${key}" must contain ARNs of ${service}, each naming one resource, got ${JSON.stringify(one)}.`,
    );
  });
}

/** Reads a list: comma-separated on the command line, or a list in `cdk.json`; empty by default. */
export function list(node: Node, key: string): readonly unknown[] {
  const value: unknown = node.tryGetContext(key) ?? [];
  if (typeof value === 'string') return value === '' ? [] : value.split(',');
  return Array.isArray(value) ? value : [value];
}

interface Bounds {
  readonly least: number;
  readonly most?: number;
  /** The option that raises the maximum. */
  readonly raise?: string;
}

/**
 * Reads numbers by name: `-c warmWrites=evidence=8000,sessions=8000` on the command line, or an object in `cdk.json`;
 * empty by default.
 */
export function amounts<Name extends string>(
  node: Node,
  key: string,
  names: readonly Name[],
  { least, most = Number.MAX_SAFE_INTEGER, raise }: Bounds,
): Partial<Record<Name, number>> {
  const value: unknown = node.tryGetContext(key) ?? {};
  const pairs =
    typeof value === 'string'
      ? value.split(',').map((pair): [string, unknown] => [pair.split('=')[0]!, pair.split('=')[1]])
      : Object.entries(value as object);
  for (const [name, given] of pairs) {
    const amount = Number(given);
    if (!names.includes(name as Name))
      throw new Error(
        `Context "${key}" must contain pairs such as "${names[0]}=${least}", got ${JSON.stringify(name)}. Allowed names: ${names.join(', ')}.`,
      );
    if (!Number.isInteger(amount) || amount < least || amount > most)
      throw new Error(
        `Context "${key}" has ${JSON.stringify(given)} for ${name}; allowed are whole numbers from ${least}${raise === undefined ? '' : ` to ${most} (${raise}, the quota of your account)`}.`,
      );
  }
  return Object.fromEntries(pairs.map(([name, given]) => [name, Number(given)])) as Partial<Record<Name, number>>;
}

/** Reads a list of words. @throws an error that contains the first value that does not match the form. */
export function words(node: Node, key: string, form: RegExp, what: string): readonly string[] {
  return list(node, key).map((one) => {
    if (typeof one === 'string' && form.test(one)) return one;
    throw new Error(`Context "${key}" must be ${what}, got ${JSON.stringify(one)}.`);
  });
}
