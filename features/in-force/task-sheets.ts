/** Compares task sheets of sessions and keys with the administrative actions that declared and deleted them. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { longestTaskDays, type TaskManifest } from '#core/contracts/task-manifest.ts';
import { canonicalize, digestOf } from '#core/kernel/canonical.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { type AdministrativeEntries, actText, dayOf, daysBetween } from './acts.ts';
import type { AuditCall, ComparisonResult, Difference } from './compared.ts';

const maxSheets = 500;
const pageSize = 100;
/** Time tolerance, because an action is recorded before the row is written. */
const underWayMs = 60_000;

/** Longest lifetime of a sheet, plus the day on which its action may have been recorded, in days. */
const daysRead = longestTaskDays + 1;

export async function compareTaskSheets(asked: AuditCall, acts: AdministrativeEntries): Promise<ComparisonResult> {
  const { ports, principal } = asked;
  const now = ports.clock.now();
  const today = dayOf(now);
  const declared = lastActs(await acts.of([principal.tenant], daysBetween(today - daysRead, today)));
  const differences: Difference[] = [];
  let bound = 0;
  for (const [id, act] of declared) {
    const manifest = act.body.manifest as TaskManifest;
    const isUnderWay = Date.parse(act.timestamp) > now - underWayMs;
    if (act.body.action !== 'manifest.create' || manifest.expires_at <= isoTime(now) || isUnderWay) continue;
    bound++;
    if (!(await ports.tasks.get(principal.tenant, id)))
      differences.push({ of: 'task_sheet', what: id, in_force: 'the sheet is missing', evidence: actText(act) });
  }
  const { sheets, more } = await sheetsOf(asked);
  for (const sheet of sheets) {
    const act = declared.get(sheet.id);
    if (Date.parse(sheet.created_at) < now - longestTaskDays * 24 * 3_600_000) continue;
    differences.push(...(await sheetDifferences(asked, sheet, act)));
  }
  return {
    counts: { task_sheets: Math.max(sheets.length, bound) },
    differences,
    notChecked: more ? [`task sheets: all but the newest ${maxSheets}`] : [],
  };
}

/** Returns the last action per sheet. */
function lastActs(acts: readonly EvidenceEntry[]): ReadonlyMap<string, EvidenceEntry> {
  const last = new Map<string, EvidenceEntry>();
  for (const act of acts) {
    const { action, manifest } = act.body;
    if (sheetActs.has(String(action))) last.set((manifest as TaskManifest).id, act);
  }
  return last;
}

const sheetActs: ReadonlySet<string> = new Set(['manifest.create', 'manifest.not_created', 'manifest.delete']);

async function sheetDifferences(
  asked: AuditCall,
  sheet: TaskManifest,
  act: EvidenceEntry | undefined,
): Promise<Difference[]> {
  const differs = (where: string, found: TaskManifest | undefined, evidence: string): Difference => ({
    of: 'task_sheet',
    what: `${sheet.id}${where}`,
    in_force: found ? `a sheet of SHA-256 ${digestOf(found)}` : 'the sheet is missing',
    evidence,
  });
  if (!act) return [differs('', sheet, 'no act declared it')];
  const declared = act.body.manifest as TaskManifest;
  const said = `${actText(act)}: a sheet of SHA-256 ${digestOf(declared)}`;
  const isDeclared = act.body.action === 'manifest.create' && canonicalize(declared) === canonicalize(sheet);
  if (!isDeclared) return [differs('', sheet, said)];
  return (await boundBy(asked, sheet)).flatMap(({ where, found }) =>
    found && canonicalize(found) === canonicalize(sheet) ? [] : [differs(where, found, said)],
  );
}

/** Returns the copies of a sheet against which the calls of its sessions and key are checked. */
async function boundBy({ ports, principal }: AuditCall, { id, sessions = [], key_id }: TaskManifest) {
  const places = [
    ...sessions.map((session) => ({ where: ` in session ${session}`, session, key_id: key_id ?? '' })),
    ...(key_id !== undefined && sessions.length === 0 ? [{ where: ` for key ${key_id}`, session: '', key_id }] : []),
  ];
  return Promise.all(
    places.map(async ({ where, ...to }) => {
      const { manifests } = await ports.tasks.attached(principal.tenant, to);
      return { where, found: manifests.find((each) => each.id === id) };
    }),
  );
}

async function sheetsOf({
  ports,
  principal,
}: AuditCall): Promise<{ readonly sheets: readonly TaskManifest[]; readonly more: boolean }> {
  const sheets: TaskManifest[] = [];
  let cursor: string | undefined;
  do {
    const page = await ports.tasks.list(principal.tenant, { limit: pageSize, ...(cursor !== undefined && { cursor }) });
    sheets.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined && sheets.length < maxSheets);
  return { sheets, more: cursor !== undefined };
}
