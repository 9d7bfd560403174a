/** A witness, and a third party who verifies bundles. Neither has a gateway key. */
import { generateKeyPairSync } from 'node:crypto';
import { cosign, openCheckpoint } from '#core/evidence/transparency/checkpoint-note.ts';
import { continued } from '#core/evidence/transparency/continued.ts';
import { readLeaf } from '#core/evidence/transparency/leaf.ts';
import { type NoteKey, noteKeyTypes, noteSigner } from '#core/evidence/transparency/note.ts';
import type { KnownSessions } from '#core/evidence/transparency/session-proof.ts';
import { Frontier } from '#core/evidence/transparency/tree.ts';
import { verifyBundle } from '#core/evidence/verify.ts';
import type { TransparencyLog } from '../log.ts';
import { readLeaves } from '../read-leaves.ts';
import { leavesOfBundle, tileAt } from '../tiles.ts';

export class Watcher {
  readonly signer = noteSigner('auditor', generateKeyPairSync('ed25519').privateKey, noteKeyTypes.cosignature);
  readonly history: { size: number; at: string }[] = [];
  sessions: KnownSessions = new Map();
  #log: NoteKey | readonly NoteKey[];
  #seen: { size: number; root: Buffer; tree: Frontier } | undefined;

  constructor(log: NoteKey) {
    this.#log = log;
  }

  get log(): NoteKey | readonly NoteKey[] {
    return this.#log;
  }

  /** Trusts the keys of a log whose key was rotated. */
  trust(keys: readonly NoteKey[]): void {
    this.#log = keys;
  }

  /**
   * @returns the reason why the log is refused, or undefined if its checkpoint was cosigned and the cosignature
   * delivered.
   */
  async look(log: TransparencyLog, at: number, tenant = 'default', note?: string): Promise<string | undefined> {
    const shown = note ?? (await log.checkpoint(tenant))!;
    const claimed = openCheckpoint(shown, this.#log);
    if (typeof claimed === 'string') return claimed;
    const from = this.#seen?.size ?? 0;
    const grown = from > 0 && claimed.size > from;
    const proof = grown ? ((await log.consistency(tenant, from, claimed.size)) ?? []) : [];
    const head = continued(shown, this.#log, this.#seen, proof);
    if (typeof head === 'string') return head;
    const tree = new Frontier(from, this.#seen?.tree.roots);
    const sessions = new Map(this.sessions);
    const all: Buffer[] = [];
    for (let index = 0, tile = tileAt('entries', 0, head.size); tile; tile = tileAt('entries', ++index, head.size)) {
      all.push(...leavesOfBundle((await log.tile(tenant, tile)) ?? Buffer.alloc(0)));
    }
    const defect = readLeaves(
      all.slice(from).map((leaf) => readLeaf(leaf)!),
      head,
      tree,
      sessions,
    );
    if (defect !== undefined) return defect;
    this.#seen = { size: head.size, root: head.root, tree };
    this.sessions = sessions;
    this.history.push({ size: head.size, at: new Date(at).toISOString() });
    const cosigned = `${shown}${cosign(head.text, Math.floor(at / 1000), this.signer)}\n`;
    await log.heads.keepCosignature(tenant, { witness: 'auditor', size: head.size, note: cosigned });
    return undefined;
  }

  /**
   * Verifies a bundle as a third party does, with the gateway's public key, the keys of the log and the witness, and
   * the witness's records.
   */
  verify(bundle: unknown, publicKey: string) {
    return verifyBundle(bundle, publicKey, undefined, undefined, {
      log: this.#log,
      witnesses: [this.signer],
      history: this.history,
      sessions: (session) => this.sessions.get(session),
    });
  }
}
