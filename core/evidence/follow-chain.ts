/** Walks through a chain and its archived copies in step, in constant memory. */
import type { ArchivedPlace } from './ports.ts';
import type { ChainWalk, EntryLine } from './walk.ts';
import type { Witness } from './witness.ts';

/**
 * Follows the entries in order and reads the archive in step. An archive fault ends the comparison with the archive and
 * is reported. A fault in the source is thrown.
 * @yields one line per entry, up to and including the first broken one.
 */
export async function* followChain(
  walk: ChainWalk,
  entries: AsyncIterable<unknown> | Iterable<unknown>,
  witness: Partial<Witness> | undefined,
): AsyncGenerator<EntryLine, void> {
  const copies = new Copies(walk, witness?.archived);
  try {
    let position = 0;
    for await (const entry of entries) {
      const line = walk.follow(entry, walk.broken ? undefined : await copies.at(position++));
      if (line) yield line;
    }
  } finally {
    await copies.close();
  }
}

/** Reader of the archive that advances in step with the chain. */
class Copies {
  readonly #walk: ChainWalk;
  readonly #archived: Witness['archived'];
  #places: AsyncIterator<ArchivedPlace> | undefined;
  #next: ArchivedPlace | undefined;

  constructor(walk: ChainWalk, archived: Witness['archived']) {
    this.#walk = walk;
    this.#archived = archived;
    this.#places = archived?.places()[Symbol.asyncIterator]();
  }

  async at(index: number): Promise<readonly string[] | undefined> {
    try {
      while (this.#places && (this.#next?.index ?? -1) < index) {
        const { value, done } = await this.#places.next();
        if (done) this.#places = undefined;
        this.#next = done ? undefined : value;
      }
    } catch (fault) {
      this.#places = undefined;
      this.#next = undefined;
      this.#walk.archiveLost(this.#archived!.unreadable(fault));
    }
    return this.#next?.index === index ? this.#next.hashes : undefined;
  }

  async close(): Promise<void> {
    await this.#places?.return?.();
  }
}
