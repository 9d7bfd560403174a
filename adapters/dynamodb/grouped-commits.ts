/**
 * Group commit: commits of one process that come while others are being written share the next transaction, those of
 * one session chained one after the other, sessions side by side. A commit that finds no other waits for none.
 */
import { randomUUID } from 'node:crypto';
import { foreignSession } from '#core/configuration/identity/sessions.ts';
import { advanceHead, type Sealed, seal } from '#core/evidence/chain.ts';
import type { CommitOutcome, EvidenceLog, Ledger, SessionHead } from '#core/evidence/ports.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';

export type Step = Parameters<Ledger['commit']>[0];

/** A commit on its way. */
export interface Waiting {
  readonly step: Step;
  /** Names exactly this call: two callers may write the same words at the same moment, and only one of them has written. */
  readonly writer: string;
  readonly resolve: (outcome: CommitOutcome) => void;
  readonly reject: (fault: unknown) => void;
  tries: number;
  /** Shares no transaction: its conditions may fail, or the store refused the group it was in. */
  alone: boolean;
}

/** A commit with its place in its chain, and what is written for it besides the head. */
export interface Link<Item> extends Sealed {
  readonly waiting: Waiting;
  readonly after: SessionHead;
  readonly items: readonly Item[];
  readonly bytes: number;
}

/** The links of one session within a transaction, the first onto `before`. */
export interface Part<Item> {
  readonly before: SessionHead | undefined;
  readonly links: readonly Link<Item>[];
}

/** What became of a part. Nothing of a transaction is written unless all of it is. */
export type Verdict =
  | { readonly type: 'written' }
  /** Another part was in the way. */
  | { readonly type: 'innocent' }
  /** Another writer was; `head` is where the chain ends now, if the store said so. */
  | { readonly type: 'conflict'; readonly head?: SessionHead }
  /** These commits can never be written so; the others of the part can. */
  | { readonly type: 'refused'; readonly answers: ReadonlyMap<Waiting, CommitOutcome | Error> }
  /** The store refused the group and did not say because of whom. */
  | { readonly type: 'apart' };

interface GroupOptions<Item> {
  readonly head: EvidenceLog['head'];
  /** Whether a step may share a transaction: its conditions never fail in the ordinary run of things. */
  readonly shares: (step: Step) => boolean;
  readonly itemsOf: (sealed: Sealed, waiting: Waiting) => Pick<Link<Item>, 'items' | 'bytes'>;
  /** One verdict per part, in one transaction. What it throws is reported to every caller in it. */
  readonly write: (parts: readonly Part<Item>[]) => Promise<readonly Verdict[]>;
  readonly pause: (ms: number) => Promise<void>;
  readonly random: () => number;
  /** Called for a session whose commit met other writers so often that it should be spread. */
  readonly contended?: (sessionId: string) => void;
}

interface Chain {
  readonly key: string;
  readonly queue: Waiting[];
  /** Where the chain ends, as far as we know; null: nowhere yet; undefined: to be read. */
  head: SessionHead | null | undefined;
  /** Being read or written: the writers of one process take turns, so that they conflict with other processes only. */
  busy: boolean;
  /** Had a conflict: goes by itself until it is written. */
  contended: boolean;
}

/** 50 writers of one chain needed at most 6 tries (measured); the jitter never exceeds 200 ms. */
const maxTries = 16;
const maxJitterMs = 200;
/** Two processes that write at the same moment meet once or twice; more says that there are many. */
const contendedTries = 3;
/** Who was the bystander of so many conflicts goes by itself. */
const maxShared = 3;
const maxInFlight = 1;
/** Sessions whose end is remembered between commits, about 1 kB each. */
const maxRemembered = 500;
/** Less than a transaction takes (100 items, 4 MB), and short enough to delay no caller. */
const groupCapacity = { links: 25, items: 100, bytes: 3_000_000 };
const headBytes = 1_000;

export function groupedCommits<Item>(options: GroupOptions<Item>): Ledger['commit'] {
  const chains = new Map<string, Chain>();
  /** Where chains ended when this process last wrote them: a caller read its head before others of this process wrote. */
  const ends = new RecentMap<string, SessionHead>({ max: maxRemembered });
  let inFlight = 0;
  let due = false;

  return (step) =>
    new Promise((resolve, reject) => {
      const key = `${step.draft.tenant}#${step.draft.session_id}`;
      const chain = chains.get(key) ?? { key, queue: [], head: undefined, busy: false, contended: false };
      chains.set(key, chain);
      if (step.head !== undefined) chain.head = later(chain.head ?? ends.get(key), step.head);
      const alone = !options.shares(step);
      chain.queue.push({ step, writer: randomUUID(), resolve, reject, tries: 0, alone });
      goOn();
    });

  /** Together with all who call in this turn of the event loop. */
  function goOn(): void {
    if (due) return;
    due = true;
    queueMicrotask(() => {
      due = false;
      dispatch();
    });
  }

  function dispatch(): void {
    for (const chain of ready()) {
      if (chain.head === undefined) void learn(chain);
      else if (chain.contended || chain.queue[0]?.alone) void send([chain]);
    }
    while (inFlight < maxInFlight && ready().length > 0) {
      inFlight++;
      void send(ready()).finally(() => {
        inFlight--;
        goOn();
      });
    }
  }

  function ready(): Chain[] {
    return [...chains.values()].filter(({ busy, queue }) => !busy && queue.length > 0);
  }

  async function learn(chain: Chain): Promise<void> {
    chain.busy = true;
    const { tenant, session_id } = chain.queue[0]!.step.draft;
    try {
      chain.head = later(chain.head, (await options.head(tenant, session_id)) ?? null);
    } catch (fault) {
      for (const waiting of chain.queue.splice(0)) waiting.reject(fault);
    }
    release(chain);
  }

  /** Takes what fits, writes it and reports to every caller. Never rejects. */
  async function send(from: readonly Chain[]): Promise<void> {
    const room = { ...groupCapacity };
    const taken: { chain: Chain; part: Part<Item> }[] = [];
    for (const chain of from) {
      if (room.links === 0) break;
      const part = take(chain, room);
      if (part.links.length > 0) taken.push({ chain, part });
      else release(chain);
    }
    if (taken.length === 0) return;
    try {
      const verdicts = await options.write(taken.map(({ part }) => part));
      taken.forEach(({ chain, part }, at) => void settle(chain, part, verdicts[at] ?? { type: 'apart' }));
    } catch (fault) {
      for (const { chain, part } of taken) {
        for (const { waiting } of part.links) waiting.reject(fault);
        chain.head = undefined;
        ends.delete(chain.key);
        release(chain);
      }
    }
  }

  /** The commits at the front of a chain, as far as they fit, each sealed onto the one before. */
  function take(chain: Chain, room: { links: number; items: number; bytes: number }): Part<Item> {
    const before = chain.head ?? undefined;
    const links: Link<Item>[] = [];
    chain.busy = true;
    room.items -= 1;
    room.bytes -= headBytes;
    while (room.links > 0) {
      const [waiting] = chain.queue;
      if (waiting === undefined || (waiting.alone && links.length > 0)) break;
      const head = links.at(-1)?.after ?? before;
      // Whose session it is counts once it is written: a commit behind the one that opens it waits for that.
      const foreign = isForeign(waiting, head);
      if (foreign && links.length > 0) break;
      if (foreign) {
        chain.queue.shift();
        waiting.reject(foreignSession(waiting.step.draft.session_id));
        continue;
      }
      const link = sealed(waiting, head);
      const fits = link === undefined || (link.items.length <= room.items && link.bytes <= room.bytes);
      if (!fits && room.links < groupCapacity.links) break;
      chain.queue.shift();
      if (link === undefined) continue;
      links.push(link);
      room.links -= 1;
      room.items -= link.items.length;
      room.bytes -= link.bytes;
      if (waiting.alone) break;
    }
    return { before, links };
  }

  /** Undefined for what JSON cannot carry: its caller gets an error, the others go on. */
  function sealed(waiting: Waiting, head: SessionHead | undefined): Link<Item> | undefined {
    try {
      const { entry, text } = seal(waiting.step.draft, head);
      const after = advanceHead(head, entry, waiting.step.owner);
      const { items, bytes } = options.itemsOf({ entry, text }, waiting);
      return { waiting, entry, text, after, items, bytes };
    } catch (fault) {
      waiting.reject(fault);
      return undefined;
    }
  }

  async function settle(chain: Chain, { links }: Part<Item>, verdict: Verdict): Promise<void> {
    if (verdict.type === 'written') {
      for (const { waiting, entry, after } of links) waiting.resolve({ ok: true, entry, head: after });
      chain.head = later(chain.head, links.at(-1)!.after);
      ends.set(chain.key, chain.head!);
      chain.contended = false;
      return release(chain);
    }
    const left = links.flatMap(({ waiting }) => (stays(waiting, verdict) ? [waiting] : []));
    chain.queue.unshift(...left);
    const tries = Math.max(0, ...left.map((waiting) => waiting.tries));
    if (verdict.type === 'conflict') {
      chain.contended = true;
      chain.head = verdict.head;
      ends.delete(chain.key);
      if (tries === contendedTries) options.contended?.(links[0]!.entry.session_id);
      await options.pause(options.random() * Math.min(maxJitterMs, 5 * 2 ** tries));
    }
    if (tries >= maxShared) chain.contended = true;
    release(chain);
  }

  /** Whether a commit that was not written is tried again; if not, its caller gets the reason. */
  function stays(waiting: Waiting, verdict: Verdict): boolean {
    const answer = verdict.type === 'refused' ? verdict.answers.get(waiting) : undefined;
    waiting.tries += 1;
    if (verdict.type === 'apart') waiting.alone = true;
    if (answer instanceof Error) waiting.reject(answer);
    else if (answer) waiting.resolve(answer);
    else if (waiting.tries >= maxTries) waiting.reject(tooBusy());
    else return true;
    return false;
  }

  /** A chain without waiters is forgotten; one that was served lets the others go first. */
  function release(chain: Chain): void {
    chain.busy = false;
    chains.delete(chain.key);
    if (chain.queue.length === 0) return;
    chains.set(chain.key, chain);
    goOn();
  }
}

/** Whether the session belongs to another key than the one that writes; `headPutItem` makes it a condition. */
const isForeign = ({ step: { owner } }: Waiting, head: SessionHead | undefined): boolean =>
  owner !== undefined && head !== undefined && head.owner_key !== owner;

/** Of two readings of a chain that only grows, the longer one; of two as long, the one that came last. */
function later(known: SessionHead | null | undefined, read: SessionHead | null): SessionHead | null {
  return (known?.total_entries ?? 0) > (read?.total_entries ?? 0) ? (known ?? null) : read;
}

const tooBusy = () =>
  new GatewayError('service_unavailable', 'The session is too busy; nothing was written. Try again shortly.', {
    retryAfterSeconds: 1,
  });
