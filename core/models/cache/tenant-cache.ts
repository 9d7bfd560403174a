/** Cached replies of one tenant, from least to most recently used, limited in number and in total characters. */
import type { CachedReply } from './ports.ts';

export interface CacheEntry {
  readonly key: string;
  /** Reply as JSON text, so that callers cannot change the replies that others receive and idle entries are cheap. */
  readonly json: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Meaning compared with that of a semantic question. */
  readonly meaning?: Meaning;
}

export interface Meaning {
  readonly frame: string;
  readonly text: string;
  readonly vector: readonly number[];
}

/** Maximum total characters of a tenant's replies, which take at most about 16 MB of heap. */
const tenantCharacters = 8 * 1024 * 1024;
/** Maximum length of a cached reply in characters. Longer replies are returned only to waiting callers. */
export const replyCharacters = 512 * 1024;
/** Number of a frame's most recent questions that are compared with a new one. */
const candidatesPerFrame = 64;

export class TenantCache {
  readonly #kept = new Map<string, CacheEntry>();
  readonly #frames = new Map<string, Set<string>>();
  #characters = 0;

  get size(): number {
    return this.#kept.size;
  }

  /** Returns the entry if it has not expired, and marks it as most recently used. */
  find(key: string, now: number): CacheEntry | undefined {
    const kept = this.#kept.get(key);
    if (!kept) return undefined;
    this.remove(key);
    if (kept.expiresAt <= now) return undefined;
    this.#put(kept);
    return kept;
  }

  /**
   * Adds an entry.
   * @returns the number of valid entries evicted for lack of space.
   */
  add(kept: CacheEntry, maxEntries: number, now: number): number {
    this.remove(kept.key);
    this.#put(kept);
    if (!this.#full(maxEntries)) return 0;
    this.expire(now);
    let evicted = 0;
    for (const key of this.#kept.keys()) {
      if (!this.#full(maxEntries)) break;
      this.remove(key);
      evicted++;
    }
    return evicted;
  }

  /** Returns entries in this frame that have a meaning to compare, newest first. */
  candidates(frame: string, now: number): (CacheEntry & { readonly meaning: Meaning })[] {
    const keys = [...(this.#frames.get(frame) ?? [])].reverse().slice(0, candidatesPerFrame);
    return keys.flatMap((key) => {
      const kept = this.#kept.get(key);
      return kept?.meaning && kept.expiresAt > now ? [{ ...kept, meaning: kept.meaning }] : [];
    });
  }

  expire(now: number): void {
    for (const { key, expiresAt } of this.#kept.values()) if (expiresAt <= now) this.remove(key);
  }

  remove(key: string): void {
    const kept = this.#kept.get(key);
    if (!kept) return;
    this.#kept.delete(key);
    this.#characters -= kept.json.length;
    const frame = kept.meaning && this.#frames.get(kept.meaning.frame);
    frame?.delete(key);
    if (kept.meaning && frame?.size === 0) this.#frames.delete(kept.meaning.frame);
  }

  #put(kept: CacheEntry): void {
    this.#kept.set(kept.key, kept);
    this.#characters += kept.json.length;
    if (!kept.meaning) return;
    const frame = this.#frames.get(kept.meaning.frame) ?? new Set();
    this.#frames.set(kept.meaning.frame, frame.add(kept.key));
  }

  #full(maxEntries: number): boolean {
    return this.#kept.size > maxEntries || this.#characters > tenantCharacters;
  }
}

export const toText = (reply: CachedReply): string => JSON.stringify(reply);
export const fromText = (json: string): CachedReply => JSON.parse(json) as CachedReply;
