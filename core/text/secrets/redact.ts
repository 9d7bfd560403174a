/**
 * Keeps secrets out of evidence by replacing sensitive values with salted digests. An auditor who has the value and the
 * salt can verify a digest. The salt is stored in a separate table; deleting it erases the value permanently without
 * breaking the chain.
 */
import { createHash } from 'node:crypto';
import { partDigest, wholeDigest } from '#core/contracts/withheld.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { childPath, cursorsAtRoot, descend, type PathCursor, sensitivePath } from './json-path.ts';
import { hasProgramSecret } from './program-secrets.ts';
import { secretRanges } from './secret-formats.ts';
import { secrecyOfMember } from './secret-names.ts';

/** Replacement of a whole value. */
export interface RedactedValue {
  readonly redacted: typeof wholeDigest;
  /** Hex SHA-256 of salt bytes ‖ JCS(value). */
  readonly digest: string;
  readonly salt_id: string;
}

export interface Salt {
  readonly id: string;
  /** Salt of 128 bits, in hex. */
  readonly salt: string;
}

export interface Redaction {
  readonly value: unknown;
  readonly salts: Salt[];
  /** JSON paths of values that were withheld in whole or in part, in document order. */
  readonly withheld: string[];
}

interface RedactOptions {
  /** JSON paths from the document's root, in the syntax of `sensitivePath`. */
  readonly sensitivePaths: readonly string[];
  readonly randomHex: (bytes: number) => string;
  /** Paths of executable text, which is kept or withheld only as a whole. */
  readonly programs?: ReadonlySet<string>;
}

/**
 * Returns a copy without secrets. Values at configured paths, values under secret names, and recognised formats within
 * text are withheld.
 * @throws TypeError for a malformed path. Check paths with `sensitivePath` when loading the configuration.
 */
export function redact(value: unknown, options: RedactOptions): Redaction {
  const run = new Redactor(options.randomHex, options.programs ?? new Set());
  return { value: run.copy(value, '$', cursorsOf(options.sensitivePaths)), salts: run.salts, withheld: run.withheld };
}

/** Parses a configuration's paths only once. */
const cursorsOf = remembered((paths: readonly string[]) => cursorsAtRoot(paths.map(sensitivePath)));

/** Returns the salted digest of a value. A disclosed value can be verified by recomputing it. */
export function saltedDigest(value: unknown, salt: string): string {
  return createHash('sha256').update(Buffer.from(salt, 'hex')).update(canonicalize(value)).digest('hex');
}

/**
 * Members that readers expect to be strings. If one is withheld as a whole, it becomes a string that contains a digest.
 */
const texts: ReadonlySet<string> = new Set(['$.target', '$.justification', '$.error', '$.comment', '$.reviewer']);

class Redactor {
  readonly salts: Salt[] = [];
  readonly withheld: string[] = [];
  readonly #randomHex: (bytes: number) => string;
  readonly #programs: ReadonlySet<string>;

  constructor(randomHex: (bytes: number) => string, programs: ReadonlySet<string>) {
    this.#randomHex = randomHex;
    this.#programs = programs;
  }

  copy(value: unknown, path: string, cursors: readonly PathCursor[]): unknown {
    if (typeof value === 'string') return this.#text(value, path);
    if (Array.isArray(value)) return value.map((item, index) => this.#child(item, index, path, cursors, 'none'));
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value);
    const named = nameOfPair(members);
    // Unlike assignment, fromEntries keeps a hostile `__proto__` member as plain data.
    return Object.fromEntries(
      members.map(([key, item]) => {
        const secrecy =
          named !== undefined && key.toLowerCase() === 'value' ? secrecyOfMember(named) : secrecyOfMember(key);
        return [this.#key(key, path), this.#child(item, key, path, cursors, secrecy)];
      }),
    );
  }

  #child(
    value: unknown,
    key: string | number,
    parent: string,
    cursors: readonly PathCursor[],
    secrecy: 'none' | 'text' | 'whole',
  ): unknown {
    const below = descend(cursors, String(key));
    const path = childPath(parent, typeof key === 'string' ? this.#maskedKey(key) : key);
    if (below.met || (secrecy !== 'none' && isSecretValue(value, secrecy))) return this.#whole(value, path);
    // Under a name such as `tokens`, the elements of a list are as secret as a single string.
    if (secrecy === 'text' && Array.isArray(value))
      return value.map((item, index) => this.#child(item, index, path, below.cursors, 'text'));
    return this.copy(value, path, below.cursors);
  }

  #whole(value: unknown, path: string): RedactedValue | string {
    if (value === '' && texts.has(path)) return value;
    this.#withhold(path);
    if (typeof value === 'string' && texts.has(path)) return this.#cut(value, [[0, value.length]]);
    return { redacted: wholeDigest, ...this.#digest(value) };
  }

  #text(text: string, path: string): unknown {
    if (this.#programs.has(path)) return this.#program(text, path);
    const ranges = secretRanges(text);
    if (ranges.length === 0) return text;
    const [first] = ranges;
    if (first && first[0] === 0 && first[1] === text.length) return this.#whole(text, path);
    this.#withhold(path);
    return this.#cut(text, ranges);
  }

  #program(text: string, path: string): string {
    if (!hasProgramSecret(text)) return text;
    this.#withhold(path);
    return this.#cut(text, [[0, text.length]]);
  }

  /** Masks secrets in a member's name, because a name may itself be a token. */
  #key(key: string, path: string): string {
    const ranges = secretRanges(key);
    if (ranges.length === 0) return key;
    this.#withhold(childPath(path, this.#maskedKey(key)));
    return this.#cut(key, ranges);
  }

  /** Records a path once, even if both name and value of a member are secret. */
  #withhold(path: string): void {
    if (this.withheld.at(-1) !== path) this.withheld.push(path);
  }

  #cut(text: string, ranges: readonly (readonly [number, number])[]): string {
    let kept = '';
    let from = 0;
    for (const [start, end] of ranges) {
      const { digest, salt_id } = this.#digest(text.slice(start, end));
      kept += `${text.slice(from, start)}${partDigest}${digest.slice(0, 16)}:${salt_id}]`;
      from = end;
    }
    return kept + text.slice(from);
  }

  #maskedKey(key: string): string {
    return secretRanges(key).length === 0 ? key : '[redacted]';
  }

  #digest(value: unknown): { digest: string; salt_id: string } {
    const salt: Salt = { id: this.#randomHex(8), salt: this.#randomHex(16) };
    this.salts.push(salt);
    return { digest: saltedDigest(value, salt.salt), salt_id: salt.id };
  }
}

/**
 * Returns the name in `{ name: "DB_PASSWORD", value: … }`, a format used in lists of environment variables and headers.
 */
function nameOfPair(members: readonly (readonly [string, unknown])[]): string | undefined {
  const name = members.find(([key]) => /^(?:name|key)$/i.test(key))?.[1];
  return typeof name === 'string' ? name : undefined;
}

/** Checks for a secret value. Empty strings and booleans are not secret, and a number under `tokens` is a count. */
function isSecretValue(value: unknown, secrecy: 'text' | 'whole'): boolean {
  if (typeof value === 'string') return value !== '';
  if (secrecy === 'text') return false;
  return typeof value === 'number' || (typeof value === 'object' && value !== null && Object.keys(value).length > 0);
}
