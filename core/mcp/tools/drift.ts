/**
 * Detects drift: a definition that differs from the first or last accepted one, or a new tool on a known server. Models
 * read descriptions, so a server that was trusted yesterday can issue instructions by changing them.
 */

import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { targetArgument } from '#core/policy/classification/target.ts';
import type { McpStore, ToolFacts, ToolMark, ToolMarks } from '../ports.ts';
import type { Tool } from './action.ts';
import type { Actor, CheckedDefinition, DriftPorts, News } from './found-definition.ts';
import type { DefinitionGuard } from './guard-settings.ts';
import { fingerprintOf, keepDefinitions } from './kept-definitions.ts';
import type { ListedTool } from './tool-list.ts';

const classifying = lazyImport(() => import('./classify-definitions.ts'));
const recording = lazyImport(() => import('./record-definitions.ts'));
const tries = 5;
const turnTools = 64;
/**
 * Servers with more tools than this are stored with fingerprints only, without text, because the item size is bounded.
 */
const maxSurfaces = 500;

/**
 * Stores the first fingerprint of each tool, and records each change once in the log, in evidence and in the store.
 * @throws GatewayError `service_unavailable`.
 */
export async function noteDefinitions(
  ports: DriftPorts,
  actor: Actor,
  entry: McpUpstreamEntry,
  tools: readonly ListedTool[],
  guard?: DefinitionGuard | undefined,
): Promise<void> {
  const found = new Map<string, CheckedDefinition>();
  const few = tools.length <= maxSurfaces;
  const definitions = tools.map(({ definition }) => definition);
  for (const [at, listed] of tools.entries()) {
    const { definition: tool, shadows } = listed;
    const guarded = guard && {
      held: heldKinds(listed, guard),
      noted: [...heldKinds(listed, guard, 'log'), ...heldKinds(listed, guard, 'hide')],
      shadows,
      ...(few && { surface: guard.look.surfaceText(guard.look.surfaceOf(tool)) }),
    };
    found.set(tool.name as string, { fingerprint: fingerprintOf(tool), about: factsOf(tool), ...guarded });
    if (at % turnTools === turnTools - 1) await ports.pause(0); // lets other work run
  }
  if (guard?.classifier) {
    const { classifyNew } = await classifying();
    const { classifier, actions } = guard;
    await classifyNew(ports, entry, definitions, found, { classifier, action: actions.classified });
  }
  for (let attempt = 0; attempt < tries; attempt++) {
    const marks = await ports.mcpStore.marks(entry.name);
    const now = isoTime(ports.clock.now());
    const recorded = { tenant: actor.tenant, at: now };
    const seen = newMarks(marks, found, recorded, guard?.changes === 'matter' ? guard.look : undefined);
    const news = few ? await withTexts(ports, marks, definitions, found, seen) : seen;
    noteHeld(tools, { ...marks.tools, ...Object.fromEntries(news.map(({ tool, mark }) => [tool, mark])) });
    if (news.length === 0) return;
    const { recordMet, report } = await recording();
    // Recorded before it takes effect, as acceptance by a human is.
    const met = news.filter(({ mark }) => mark.recorded === recorded);
    const passing = met.filter(({ passed }) => passed);
    if (met.length > passing.length) await recordMet(ports, actor, entry, recorded.at, met);
    for (const each of passing) await report(ports, actor, entry, each, found.get(each.tool));
    const written = await ports.mcpStore.putMarks({
      upstream: entry.name,
      revision: marks.revision,
      tools: { ...marks.tools, ...Object.fromEntries(news.map(({ tool, mark }) => [tool, mark])) },
    });
    if (!written) continue;
    for (const each of news) {
      const isReported = each.onlyText || each.passed;
      if (!isReported && (each.drifted || found.get(each.tool)?.noted?.length))
        await report(ports, actor, entry, each, found.get(each.tool));
    }
    return;
  }
  throw new GatewayError('service_unavailable', `The tool definitions of ${entry.name} are being written; try again.`);
}

/** Stores missing definition text in the object store, and notes its presence in the marks. */
async function withTexts(
  ports: DriftPorts,
  { tools }: ToolMarks,
  definitions: readonly JsonObject[],
  found: ReadonlyMap<string, CheckedDefinition>,
  news: readonly News[],
): Promise<News[]> {
  const all = new Map<string, News>(news.map((each) => [each.tool, each]));
  const lacking: { readonly tool: string; readonly fingerprint: string; readonly definition: JsonObject }[] = [];
  for (const definition of definitions) {
    const tool = definition.name as string;
    const mark = all.get(tool)?.mark ?? (Object.hasOwn(tools, tool) ? tools[tool] : undefined);
    const { fingerprint = '' } = found.get(tool) ?? {};
    const place = mark?.fingerprint === fingerprint ? mark : mark?.changed;
    if (place?.fingerprint === fingerprint && place.kept === undefined) lacking.push({ tool, fingerprint, definition });
  }
  if (lacking.length === 0) return [...news];
  const stored = await keepDefinitions(
    ports,
    lacking.map(({ definition }) => definition),
  );
  for (const { tool, fingerprint } of lacking) {
    const kept = stored.get(fingerprint);
    if (kept === undefined) continue;
    const { mark, ...rest } = all.get(tool) ?? { tool, mark: tools[tool]!, drifted: false, onlyText: true };
    const { changed } = mark;
    const noted: ToolMark =
      mark.fingerprint === fingerprint
        ? { ...mark, kept }
        : { ...mark, ...(changed && { changed: { ...changed, kept } }) };
    all.set(tool, { ...rest, mark: noted });
  }
  return [...all.values()];
}

function newMarks(
  marks: ToolMarks,
  found: ReadonlyMap<string, CheckedDefinition>,
  recorded: NonNullable<ToolMark['recorded']>,
  look: DefinitionGuard['look'] | undefined,
): News[] {
  const now = recorded.at;
  return [...found].flatMap(([tool, { fingerprint, about, held = [], noted = [], surface, shadows = [] }]): News[] => {
    const mark = Object.hasOwn(marks.tools, tool) ? marks.tools[tool] : undefined;
    const kept = surface !== undefined && { surface };
    const beside = held.includes('shadowing') && { shadows };
    const notedBeside = noted.includes('shadowing') && { shadows_noted: shadows };
    const waiting = {
      seen_at: now,
      changed: { fingerprint, seen_at: now, ...(held.length > 0 && { guard: held }), ...beside },
      ...notedBeside,
      about,
    };
    // Tools present at the first contact are accepted if the guard finds nothing in them. A human reviews later
    // additions and changes.
    if (!mark && marks.revision === 0 && held.length === 0)
      return [{ tool, mark: { fingerprint, seen_at: now, recorded, about, ...kept, ...notedBeside }, drifted: false }];
    if (!mark) return [{ tool, mark: waiting, drifted: true }];
    if (mark.fingerprint !== fingerprint && mark.changed?.fingerprint !== fingerprint) {
      const kinds =
        look && mark.surface !== undefined && surface !== undefined
          ? [...new Set([...look.changesBetween(look.surfaceFrom(mark.surface), look.surfaceFrom(surface)), ...held])]
          : undefined;
      if (kinds?.length === 0)
        return [
          {
            tool,
            mark: { fingerprint, seen_at: now, recorded, about, ...kept, ...notedBeside },
            drifted: true,
            passed: true,
          },
        ];
      const guard = kinds ?? held;
      const changed = { fingerprint, seen_at: now, ...(guard.length > 0 && { guard }), ...beside };
      return [{ tool, mark: { ...mark, changed, about, ...notedBeside }, drifted: true }];
    }
    // The definition is accepted or already pending, but the tools that it shadows were added later.
    if (beside && !covers(mark.shadows, shadows) && !covers(mark.changed?.shadows, shadows)) {
      const guard = [...new Set([...(mark.changed?.guard ?? []), 'shadowing'])];
      return [
        { tool, mark: { ...mark, changed: { fingerprint, seen_at: now, guard, shadows }, about }, drifted: true },
      ];
    }
    if (notedBeside && !covers(mark.shadows_noted, shadows))
      return [{ tool, mark: { ...mark, about, ...notedBeside }, drifted: false }];
    // A surface is derived from its definition, so a different one was derived by other rules than this version's.
    const lacks = mark.fingerprint === fingerprint && surface !== undefined && mark.surface !== surface;
    return lacks ? [{ tool, mark: { ...mark, ...kept }, drifted: false }] : [];
  });
}

const covers = (known: readonly string[] | undefined, shadows: readonly string[]): boolean =>
  known !== undefined && shadows.every((each) => known.includes(each));

function factsOf({ annotations, inputSchema }: JsonObject): ToolFacts {
  const hint = (name: string): boolean | undefined => {
    const value = isObject(annotations) ? annotations[name] : undefined;
    return typeof value === 'boolean' ? value : undefined;
  };
  const [read_only, destructive] = [hint('readOnlyHint'), hint('destructiveHint')];
  const properties = isObject(inputSchema) && isObject(inputSchema.properties) ? inputSchema.properties : {};
  const target = targetArgument(Object.keys(properties));
  return {
    ...(read_only !== undefined && { read_only }),
    ...(destructive !== undefined && { destructive }),
    ...(target !== undefined && { target }),
  };
}

/** Returns the kinds of a definition's findings that have the given action; by default, the kinds held for a human. */
const heldKinds = (
  { definition, shadows }: ListedTool,
  { actions, look, secretFiles }: DefinitionGuard,
  wanted: 'log' | 'review' | 'hide' = 'review',
): string[] => [
  ...new Set(
    look
      .checkDefinition(definition, secretFiles)
      .flatMap(({ kind, severity }) => (severity !== 'low' && actions[kind] === wanted ? [kind] : [])),
  ),
  ...(actions.shadowing === wanted && shadows.length > 0 ? ['shadowing'] : []),
];

/** Marks the tools whose change is held by the guard, according to the stored marks. */
function noteHeld(tools: readonly ListedTool[], marks: ToolMarks['tools']): void {
  for (const tool of tools) {
    const name = tool.definition.name as string;
    const changed = Object.hasOwn(marks, name) ? marks[name]?.changed : undefined;
    if (changed?.guard && changed.fingerprint === fingerprintOf(tool.definition)) tool.heldChange = true;
  }
}

/**
 * Checks whether a tool is blocked or held for a human. This applies to every changed tool under `drift: block`,
 * otherwise to tools with findings to review. Reads the marks only if needed, so other calls cost no extra read.
 */
export async function checkDrift(
  store: McpStore,
  tool: Pick<Tool, 'entry' | 'own' | 'listed'>,
  guard?: DefinitionGuard | undefined,
): Promise<boolean> {
  if (isHidden(tool, guard)) return true;
  if (!mayWait(tool, guard)) return false;
  return !isAccepted(await store.marks(tool.entry.name), tool, guard);
}

/** Checks whether the guard hides the tool. Accepting its definition does not reveal it. */
export const isHidden = ({ listed }: Pick<Tool, 'listed'>, guard: DefinitionGuard | undefined): boolean =>
  guard !== undefined && heldKinds(listed, guard, 'hide').length > 0;

/** Checks whether the marks need to be read. */
export const mayWait = (
  { entry, listed }: Pick<Tool, 'entry' | 'listed'>,
  guard: DefinitionGuard | undefined,
): boolean =>
  entry.drift === 'block' || (guard !== undefined && (listed.heldChange || heldKinds(listed, guard).length > 0));

/** Checks whether the definition is accepted. A server without marks cannot have drifted. */
export function isAccepted(
  { revision, tools }: ToolMarks,
  { own, listed }: Pick<Tool, 'own' | 'listed'>,
  guard?: DefinitionGuard | undefined,
): boolean {
  const mark = Object.hasOwn(tools, own) ? tools[own] : undefined;
  if (mark) {
    if (mark.fingerprint !== fingerprintOf(listed.definition)) return false;
    const besides = guard?.actions.shadowing === 'review' ? listed.shadows : [];
    return besides.length === 0 || covers(mark.shadows, besides);
  }
  return revision === 0 && (guard === undefined || heldKinds(listed, guard).length === 0);
}
