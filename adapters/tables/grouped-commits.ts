/**
 * Group commit: commits that arrive while a process is writing share the next transaction. Commits to one session are
 * chained; sessions are independent. A single commit is written immediately.
 */
import { randomUUID } from 'node:crypto';
import { foreignSession } from '#core/configuration/identity/sessions.ts';
import { advanceHead, type SealedEntry, seal } from '#core/evidence/chain.ts';
import type { CommitOutcome, EvidenceLog, Ledger, SessionHead } from '#core/evidence/ports.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';

export type CommitRequest = Parameters<Ledger['commit']>[0];

/** A pending commit. */
export interface PendingCommit {
  readonly step: CommitRequest;
  /**
   * Identifies exactly this call: two callers may write the same text at the same moment, but only one of the writes
   * succeeds.
   */
  readonly writer: string;
  readonly resolve: (outcome: CommitOutcome) => void;
  readonly reject: (fault: unknown) => void;
  tries: number;
  /**
   * True if the commit must not share a transaction, because its conditions may fail or the store refused its group.
   */
  alone: boolean;
}

/** A commit with its place in its chain, and all its items except the head. */
export interface Link<Item> extends SealedEntry {
  readonly waiting: PendingCommit;
  readonly after: SessionHead;
  readonly items: readonly Item[];
  readonly bytes: number;
}

/** One session's links within a transaction; the first is chained to `before`. */
export interface SessionLinks<Item> {
  readonly before: SessionHead | undefined;
  readonly links: readonly Link<Item>[];
}

/** Outcome for one part of a transaction, which is written completely or not at all. */
export type Verdict =
  | { readonly type: 'written' }
  /** Another part caused the failure. */
  | { readonly type: 'innocent' }
  /** Another writer caused the failure; `head` is the current end of the chain, if the store returned it. */
  | { readonly type: 'conflict'; readonly head?: SessionHead }
  /** These commits can never be written this way; the other commits in the part can. */
  | { readonly type: 'refused'; readonly answers: ReadonlyMap<PendingCommit, CommitOutcome | Error> }
  /** The store refused the group without naming the cause, so the parts must be written separately. */
  | { readonly type: 'apart' };

interface GroupOptions<Item> {
  readonly head: EvidenceLog['head'];
  /** Checks whether a step may share a transaction, which is the case if its conditions normally hold. */
  readonly shares: (step: CommitRequest) => boolean;
  readonly itemsOf: (sealed: SealedEntry, waiting: PendingCommit) => Pick<Link<Item>, 'items' | 'bytes'>;
  /**
   * Writes the parts in one transaction and returns one verdict per part. If it throws, every caller in the transaction
   * gets the exception.
   */
  readonly write: (parts: readonly SessionLinks<Item>[]) => Promise<readonly Verdict[]>;
  readonly pause: (ms: number) => Promise<void>;
  readonly random: () => number;
  /** Called for a session whose commits conflict with other writers so often that it should be spread. */
  readonly contended?: (sessionId: string) => void;
}

interface Chain {
  readonly key: string;
  readonly queue: PendingCommit[];
  /** Last known end of the chain. Null if the chain has no entry; undefined if it must be read. */
  head: SessionHead | null | undefined;
  /**
   * True while the chain is being read or written. One process's writers take turns, so that they conflict only with
   * other processes.
   */
  busy: boolean;
  /** True after a conflict: the chain is written alone until a write succeeds. */
  contended: boolean;
}

/**
 * Maximum number of attempts. In measurements, 50 writers on one chain needed at most 6; the jitter never exceeds 200
 * ms.
 */
const maxTries = 16;
const maxJitterMs = 200;
/**
 * Number of conflicts after which many writers are assumed: two processes that write at the same time conflict only
 * once or twice.
 */
const contendedTries = 3;
/** Number of conflicts caused by other commits in its group after which a commit is written alone. */
const maxShared = 3;
const maxInFlight = 1;
/** Maximum number of sessions whose chain end (about 1 kB each) is cached between commits. */
const maxRemembered = 500;
/** Limits of a group: below those of a transaction (100 items, 4 MB), and small enough not to delay any caller. */
const groupCapacity = { links: 25, items: 100, bytes: 3_000_000 };
const headBytes = 1_000;

export function groupedCommits<Item>(options: GroupOptions<Item>): Ledger['commit'] {
  const chains = new Map<string, Chain>();
  /**
   * Chain heads as last written by this process, because a caller may have read a head before this process's other
   * writes.
   */
  const ends = new RecentMap<string, SessionHead>({ max: maxRemembered });
  const writer = randomUUID();
  let commits = 0;
  let inFlight = 0;
  let due = false;

  return (step) =>
    new Promise((resolve, reject) => {
      const key = `${step.draft.tenant}#${step.draft.session_id}`;
      const chain = chains.get(key) ?? { key, queue: [], head: undefined, busy: false, contended: false };
      chains.set(key, chain);
      if (step.head !== undefined) chain.head = laterHead(chain.head ?? ends.get(key), step.head);
      const alone = !options.shares(step);
      chain.queue.push({ step, writer: `${writer}#${++commits}`, resolve, reject, tries: 0, alone });
      goOn();
    });

  /** Starts the next write, which includes all commits from this turn of the event loop. */
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
      chain.head = laterHead(chain.head, (await options.head(tenant, session_id)) ?? null);
    } catch (fault) {
      for (const waiting of chain.queue.splice(0)) waiting.reject(fault);
    }
    release(chain);
  }

  /** Takes as many commits as fit, writes them and reports to every caller. Never rejects. */
  async function send(from: readonly Chain[]): Promise<void> {
    const room = { ...groupCapacity };
    const taken: { chain: Chain; part: SessionLinks<Item> }[] = [];
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

  /** Takes a chain's first commits, as many as fit, and seals each onto the previous one. */
  function take(chain: Chain, room: { links: number; items: number; bytes: number }): SessionLinks<Item> {
    const before = chain.head ?? undefined;
    const links: Link<Item>[] = [];
    chain.busy = true;
    room.items -= 1;
    room.bytes -= headBytes;
    while (room.links > 0) {
      const [waiting] = chain.queue;
      if (waiting === undefined || (waiting.alone && links.length > 0)) break;
      const head = links.at(-1)?.after ?? before;
      // The owner is known for certain once the session is written, so a commit that follows the session's opening is
      // delayed until then.
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

  /**
   * Seals a commit. Returns undefined if JSON cannot represent the commit: its caller gets an error, and the other
   * commits continue.
   */
  function sealed(waiting: PendingCommit, head: SessionHead | undefined): Link<Item> | undefined {
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

  async function settle(chain: Chain, { links }: SessionLinks<Item>, verdict: Verdict): Promise<void> {
    if (verdict.type === 'written') {
      for (const { waiting, entry, after } of links) waiting.resolve({ ok: true, entry, head: after });
      chain.head = laterHead(chain.head, links.at(-1)!.after);
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

  /** Checks whether an unwritten commit is to be retried; if not, reports the reason to its caller. */
  function stays(waiting: PendingCommit, verdict: Verdict): boolean {
    const answer = verdict.type === 'refused' ? verdict.answers.get(waiting) : undefined;
    waiting.tries += 1;
    if (verdict.type === 'apart') waiting.alone = true;
    if (answer instanceof Error) waiting.reject(answer);
    else if (answer) waiting.resolve(answer);
    else if (waiting.tries >= maxTries) waiting.reject(tooBusy());
    else return true;
    return false;
  }

  /** Frees a chain: removes it if it has no commits, otherwise moves it to the end of the queue. */
  function release(chain: Chain): void {
    chain.busy = false;
    chains.delete(chain.key);
    if (chain.queue.length === 0) return;
    chains.set(chain.key, chain);
    goOn();
  }
}

/** Checks whether the session belongs to a key other than the writer's; `headPutItem` makes this a condition. */
const isForeign = ({ step: { owner } }: PendingCommit, head: SessionHead | undefined): boolean =>
  owner !== undefined && head !== undefined && head.owner_key !== owner;

/** Returns the longer of two versions of a growing chain, or the later one if they are equally long. */
function laterHead(known: SessionHead | null | undefined, read: SessionHead | null): SessionHead | null {
  return (known?.total_entries ?? 0) > (read?.total_entries ?? 0) ? (known ?? null) : read;
}

const tooBusy = () =>
  new GatewayError('service_unavailable', 'The session is too busy; nothing was written. Try again shortly.', {
    retryAfterSeconds: 1,
  });
