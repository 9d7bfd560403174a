/**
 * Copies log entries to the archive, covers them with a checkpoint and projects them to the views. A session for which
 * a step fails does not hold up other sessions or steps: it is retried a few times, then set aside [audit.set-aside].
 */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { Telemetry } from '#core/kernel/ports.ts';
import { sideBySide } from '#core/kernel/side-by-side.ts';
import type { Archive, Observations } from './ports.ts';
import { projectEntry } from './project.ts';
import { type ProjectionStep, type SetAsideStore, setAsideOf } from './set-aside.ts';

export interface ProjectionPorts {
  readonly observations: Pick<Observations, 'apply'>;
  readonly archive: Archive;
  /** Covers entries with a checkpoint. */
  readonly cover: ((entries: readonly EvidenceEntry[]) => Promise<void>) | undefined;
  /** Projects entries to the views in another thread. If undefined, this thread is used. */
  readonly views: ((entries: readonly EvidenceEntry[]) => Promise<void>) | undefined;
  /** Queues blocks and warnings for the policy webhook. */
  readonly announce: (entries: readonly EvidenceEntry[]) => Promise<void>;
  readonly setAside: Pick<SetAsideStore, 'put'>;
  readonly telemetry: Telemetry;
  readonly pause: (ms: number) => Promise<void>;
}

/** Error for views that are currently not writable. The sessions are not at fault, so the entries are redelivered. */
export class ViewsUnavailable extends Error {}

/** Codes of file system errors that concern the machine and not one session's file. */
const machineFaults: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE'];

const isOutage = (cause: unknown): boolean =>
  cause instanceof ViewsUnavailable || machineFaults.includes((cause as { readonly code?: unknown }).code);

type Session = readonly EvidenceEntry[];
type Work = (entries: readonly EvidenceEntry[]) => Promise<unknown>;

interface Failure {
  readonly step: ProjectionStep;
  readonly own: Session;
  readonly cause: unknown;
}

const sessionsAtOnce = 50;
/** Pauses between attempts at a step. */
const pausesMs = [200, 1_000];

/**
 * Projects entries. @returns the first entry that the host must redeliver, with the reason; undefined if everything is
 * done or set aside.
 */
export async function projectEntries(
  ports: ProjectionPorts,
  entries: readonly EvidenceEntry[],
): Promise<{ readonly from: EvidenceEntry; readonly cause: unknown } | undefined> {
  if (entries.length === 0) return undefined;
  const sessions = [...Map.groupBy(entries, ({ tenant, session_id }) => `${tenant}#${session_id}`).values()];
  const { archive, cover, observations, announce } = ports;
  const views = ports.views ?? ((own) => observations.apply(own.map(projectEntry)));
  // Copies come first: if entries arrive out of order, a checkpoint follows the chain through its copies.
  const failures = await step(ports, 'archive', sessions, (own) => archive.keep(own));
  const later = await Promise.all([
    cover ? step(ports, 'checkpoint', sessions, cover, entries) : [],
    step(ports, 'views', sessions, async (own) => views(own), entries),
    step(ports, 'announcement', sessions, async (own) => announce(own), entries),
  ]);
  failures.push(...later.flat());
  const ofStep = Map.groupBy(failures, (failure) => failure.step);
  // If a step fails for each of several sessions, the archive, signer or store is down; the sessions are not at fault.
  const down = [...ofStep.values()].find(
    (all) => (sessions.length > 1 && all.length === sessions.length) || isOutage(all[0]!.cause),
  );
  if (down) return { from: entries[0]!, cause: down[0]!.cause };
  for (const { step: name, own, cause } of failures)
    try {
      await ports.setAside.put(setAsideOf(name, own[0]!, cause));
      reportFailure(ports, name, own[0]!, cause);
    } catch (fault) {
      return { from: entries[0]!, cause: fault };
    }
  return undefined;
}

/** Runs a step for all sessions together if `whole` is given. Retries each failed session separately, a few times. */
async function step(
  { pause }: ProjectionPorts,
  name: ProjectionStep,
  sessions: readonly Session[],
  work: Work,
  whole?: readonly EvidenceEntry[],
): Promise<Failure[]> {
  if (whole && (await causeOf(work, whole)) === undefined) return [];
  let failures = await runStep(name, sessions, work);
  for (const ms of pausesMs) {
    if (failures.length === 0) return failures;
    await pause(ms);
    failures = await runStep(
      name,
      failures.map(({ own }) => own),
      work,
    );
  }
  return failures;
}

async function runStep(name: ProjectionStep, sessions: readonly Session[], work: Work): Promise<Failure[]> {
  const failures: Failure[] = [];
  await sideBySide(sessions, sessionsAtOnce, async (own) => {
    const cause = await causeOf(work, own);
    if (cause !== undefined) failures.push({ step: name, own, cause });
  });
  return failures;
}

const causeOf = async (work: Work, entries: readonly EvidenceEntry[]): Promise<unknown> => {
  try {
    await work(entries);
    return undefined;
  } catch (cause) {
    return cause ?? new Error('it failed without a reason');
  }
};

function reportFailure(
  { telemetry }: ProjectionPorts,
  name: ProjectionStep,
  entry: EvidenceEntry,
  cause: unknown,
): void {
  const { tenant, session_id, index, error } = setAsideOf(name, entry, cause);
  telemetry.count('svc_projection_set_aside_total', { step: name });
  telemetry.log('error', 'a session was set aside by the projection', { tenant, session_id, index, step: name, error });
}
