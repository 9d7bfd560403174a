/** Classifies new and changed definitions. Flagged ones are held for a human, or recorded [guard.classifier]. */
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import type { Classification } from '#core/guard/classifier/ports.ts';
import { definitionTexts } from '#core/guard/definition-texts.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { type McpStore, type ToolMark, UpstreamFault } from '../ports.ts';
import type { CheckedDefinition, DefinitionClassifier } from './found-definition.ts';

const atATime = 8;

/** Earlier classifications made by this process, so that a single failure does not cause the others to be repeated. */
const classifications = new RecentMap<string, Classification>({ max: 5_000 });

/**
 * Adds the flagged definitions to the findings. Skips definitions already in the marks, whether accepted or pending.
 * @throws UpstreamFault if a definition could not be classified and `on_error` is `refuse`: the server's tools stay
 * unlisted.
 */
export async function classifyNew(
  { mcpStore }: { readonly mcpStore: Pick<McpStore, 'marks'> },
  entry: McpUpstreamEntry,
  definitions: readonly JsonObject[],
  found: Map<string, CheckedDefinition>,
  { classifier, action }: { readonly classifier: DefinitionClassifier; readonly action: 'log' | 'review' },
): Promise<void> {
  const { tools } = await mcpStore.marks(entry.name);
  const fresh = definitions.filter(({ name }) => {
    const mark: ToolMark | undefined = Object.hasOwn(tools, name as string) ? tools[name as string] : undefined;
    const { fingerprint } = found.get(name as string)!;
    return mark?.fingerprint !== fingerprint && mark?.changed?.fingerprint !== fingerprint;
  });
  const { settings } = classifier;
  const failed: Classification[] = [];
  for (let at = 0; at < fresh.length; at += atATime)
    await Promise.all(
      fresh.slice(at, at + atATime).map(async (definition) => {
        const tool = definition.name as string;
        const before = found.get(tool)!;
        const judged = await judgedOf(definition, before.fingerprint, classifier);
        if ('error' in judged) failed.push(judged);
        found.set(tool, { ...before, judged, ...('score' in judged && judged.flagged && withKind(before, action)) });
      }),
    );
  const [first] = failed;
  if (!first || !('error' in first) || settings.on_error === 'log') return;
  const how = `${first.classifier} of the tool guard could not check ${failed.length} of its new or changed definitions (${first.error})`;
  throw new UpstreamFault('refused', `the classifier ${how}; its tools are served once they are checked`);
}

const withKind = (
  { held = [], noted = [] }: CheckedDefinition,
  action: 'log' | 'review',
): Partial<CheckedDefinition> =>
  action === 'review' ? { held: [...held, 'classified'] } : { noted: [...noted, 'classified'] };

async function judgedOf(
  definition: JsonObject,
  fingerprint: string,
  { ask, version }: DefinitionClassifier,
): Promise<Classification> {
  const key = `${version}\n${fingerprint}`;
  const remembered = classifications.get(key);
  if (remembered) return remembered;
  const text = definitionTexts(definition)
    .map((each) => each.text)
    .join('\n');
  const judged = await ask(`${String(definition.name)}\n${text}`, new AbortController().signal);
  if ('error' in judged) return judged;
  classifications.set(key, judged);
  return judged;
}
