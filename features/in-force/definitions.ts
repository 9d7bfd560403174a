/** Compares accepted MCP tool definitions with the administrative actions that accepted them. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import type { ToolMark, ToolMarks } from '#core/mcp/ports.ts';
import { type AdministrativeEntries, actText, dayOf, daysBetween, tenantsToSearch } from './acts.ts';
import type { AuditCall, ComparisonResult, Difference } from './compared.ts';

/** Maximum number of sessions searched for an earlier contact with a server. */
const maxSessions = 400;
/** Time tolerance, because two processes may contact a new server at the same time. */
const togetherMs = 60_000;

export async function compareDefinitions(asked: AuditCall, acts: AdministrativeEntries): Promise<ComparisonResult> {
  const { ports, snapshot } = asked;
  const all = await Promise.all(snapshot.configuration.upstreams.mcp.map(({ name }) => ports.mcpStore.marks(name)));
  const { earlier, skippedTenants } = await earlierActs(asked, acts, all);
  const differences: Difference[] = [];
  let compared = 0;
  for (const marks of all)
    for (const [tool, mark] of Object.entries(marks.tools)) {
      const { fingerprint, recorded } = mark;
      if (fingerprint === undefined) continue;
      compared++;
      const found = recorded
        ? await differenceOf({ marks, tool, fingerprint, recorded }, acts, earlier)
        : { in_force: `definition ${fingerprint} has been accepted`, evidence: 'its row names no act that accepts it' };
      if (found) differences.push({ of: 'definition', what: `${tool} of ${marks.upstream}`, ...found });
    }
  return {
    counts: { definitions: compared },
    differences,
    notChecked: skippedTenants > 0 ? [`definitions: earlier acts of ${skippedTenants} tenants`] : [],
  };
}

interface Accepted {
  readonly marks: ToolMarks;
  readonly tool: string;
  readonly fingerprint: string;
  readonly recorded: NonNullable<ToolMark['recorded']>;
}

async function differenceOf(
  accepted: Accepted,
  acts: AdministrativeEntries,
  earlier: readonly EvidenceEntry[],
): Promise<Pick<Difference, 'in_force' | 'evidence'> | undefined> {
  const { recorded, fingerprint } = accepted;
  const day = dayOf(recorded.at);
  // An action is recorded shortly after its row's time, perhaps on the next day.
  const near = await acts.of([recorded.tenant], [day, day + 1]);
  const act = near.filter((entry) => isAcceptedBy(accepted, entry)).at(-1);
  const in_force = `definition ${fingerprint} has been accepted since ${recorded.at}`;
  if (!act) return { in_force, evidence: `no act of ${recorded.tenant} on that day accepts it` };
  if (act.body.action !== 'mcp.met') return undefined;
  const before = earlier.find(
    (entry) => isAbout(accepted, entry) && Date.parse(entry.timestamp) < Date.parse(act.timestamp) - togetherMs,
  );
  return (
    before && {
      in_force: `${in_force}, when its server was first met`,
      evidence: `${actText(before)} already names the tool`,
    }
  );
}

const isOf = ({ marks, tool }: Accepted, { body }: EvidenceEntry): boolean =>
  body.upstream === marks.upstream && body.tool === tool;

function isAcceptedBy(accepted: Accepted, entry: EvidenceEntry): boolean {
  const { body } = entry;
  const { fingerprint } = accepted;
  if (body.action === 'mcp.met') return metFingerprint(accepted, entry) === fingerprint;
  if (!isOf(accepted, entry)) return false;
  return body.action === 'mcp.accept'
    ? body.fingerprint === fingerprint
    : body.action === 'mcp.drift' && body.passed === true && body.found === fingerprint;
}

/** Checks for an action that recorded, accepted or changed the tool. */
const isAbout = (accepted: Accepted, entry: EvidenceEntry): boolean =>
  entry.body.action === 'mcp.met' ? metFingerprint(accepted, entry) !== undefined : isOf(accepted, entry);

/**
 * Returns the fingerprint recorded on first contact. If a server has a great many tools, the entry contains only a
 * single digest of all of them.
 */
function metFingerprint({ marks, tool, fingerprint, recorded }: Accepted, { body }: EvidenceEntry): unknown {
  if (body.upstream !== marks.upstream) return undefined;
  const tools = body.tools as Readonly<Record<string, unknown>> | undefined;
  if (tools) return Object.hasOwn(tools, tool) ? tools[tool] : undefined;
  const together = Object.entries(marks.tools).filter(([, mark]) => mark.recorded?.at === recorded.at);
  const digest = digestOf(Object.fromEntries(together.map(([name, mark]) => [name, mark.fingerprint])));
  return digest === body.tools_sha256 ? fingerprint : undefined;
}

/** Returns recent actions on tools, as far back as the maximum number of sessions allows. */
async function earlierActs(
  asked: AuditCall,
  acts: AdministrativeEntries,
  all: readonly ToolMarks[],
): Promise<{ readonly earlier: readonly EvidenceEntry[]; readonly skippedTenants: number }> {
  if (all.every(({ revision }) => revision === 0)) return { earlier: [], skippedTenants: 0 };
  const recorded = all.flatMap(({ tools }) => Object.values(tools).flatMap((mark) => mark.recorded?.tenant ?? []));
  const configured = asked.snapshot.configuration.tenants.map(({ id }) => id);
  const { tenants, left } = tenantsToSearch(recorded, configured);
  const today = dayOf(asked.ports.clock.now());
  const days = daysBetween(today - Math.max(1, Math.floor(maxSessions / tenants.length)) + 1, today);
  const earlier = (await acts.of(tenants, days)).filter(({ body }) => String(body.action).startsWith('mcp.'));
  return { earlier, skippedTenants: left };
}
