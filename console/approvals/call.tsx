/**
 * The whole call: executed text first, then file changes as diffs, other values as rows, and the JSON last
 * [console.card].
 */
import { useEffect, useState } from 'preact/hooks';
import { visibleText } from '#core/text/secrets/visible-text.ts';
import type { Api } from '../api.ts';
import { Icon } from '../design/icon.tsx';
import { Fact, Facts } from '../design/layout.tsx';
import { Notice } from '../design/states.tsx';
import { Block, Code, Text } from '../design/text.tsx';
import type { Language } from './highlight.ts';
import { headingText, type Item, inReadingOrder, names, pathOf, sourcesOf } from './items.ts';

type Changes = typeof import('./changes.tsx');

/** Loads the diff component when a card is opened; until then, and if loading fails, values are shown unchanged. */
function useChanges(): Changes | undefined {
  const [changes, setChanges] = useState<Changes | undefined>();
  useEffect(() => {
    let isCurrent = true;
    import('./changes.tsx').then(
      (loaded) => isCurrent && setChanges(loaded),
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, []);
  return changes;
}

export function CallOf({ item, api }: { readonly item: Item; readonly api: Api }) {
  const { protocol, target, sent_with, withheld, sources } = item;
  const executed = item.executed ?? [];
  const targetRuns = names(executed, '$.target');
  const changes = useChanges();
  const changed = changes?.changesOf(item);
  const shownAsChange = new Set(changed?.names);
  const values = inReadingOrder(item)
    .filter(([name]) => !shownAsChange.has(name))
    .map(([name, value]) => ({
      name,
      value,
      runs: names(executed, pathOf(name)),
      redacted: names(withheld, pathOf(name)),
      sources: sourcesOf(name, sources),
    }));
  const isRow = ({ value, runs }: (typeof values)[number]) => !runs && isOneLine(value);
  const executedValues = values.filter(({ runs }) => runs);
  const rows = values.filter(isRow);
  const blocks = values.filter((value) => !value.runs && !isRow(value));
  return (
    <>
      {changes && changed && changed.files.length > 0 && (
        <>
          <changes.FileDifferences item={item} files={changed.files} api={api} />
          <Sources of={changed.names.flatMap((name) => sourcesOf(name, sources))} />
        </>
      )}
      {executedValues.map((value) => (
        <Value key={value.name} {...value} language={languageOf(protocol)} />
      ))}
      {targetRuns && (
        <Value name="target" value={target} runs redacted={false} language={languageOf(protocol)} sources={[]} />
      )}
      {!targetRuns && headingText(target) !== target && (
        <Value name="target" value={target} runs={false} redacted={false} sources={[]} />
      )}
      {rows.length > 0 && (
        <Facts>
          {rows.map(({ name, value, redacted, sources: from }) => (
            <Fact key={name} name={visibleText(name)}>
              <Code of={typeof value === 'string' ? value : JSON.stringify(value)} />
              {redacted && <strong> (partly redacted)</strong>}
              <Sources of={from} />
            </Fact>
          ))}
        </Facts>
      )}
      {blocks.map((value) => (
        <Value key={value.name} {...value} />
      ))}
      {values.length + shownAsChange.size === 0 && <p class="quiet">The call has no parameters.</p>}
      {sent_with && <Value name="sent with the call" value={sent_with} runs={false} redacted={false} sources={[]} />}
      {withheld.length > 0 && (
        <Notice kind="warn">
          Redacted as sensitive:{' '}
          {withheld.map((path, at) => (
            <span key={path}>
              {at > 0 && ', '}
              <Code of={path} />
            </span>
          ))}
          . The decision covers their values too.
        </Notice>
      )}
      <AsJson of={item} />
    </>
  );
}

/** Rendered only when opened, because it repeats the call above. */
function AsJson({ of }: { readonly of: Item }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>The call as JSON</summary>
      {open && <Block of={JSON.stringify(callIn(of), null, 2)} />}
    </details>
  );
}

const callIn = ({ protocol, tool, target, capability, upstream, upstream_tool, parameters, sent_with }: Item) => ({
  protocol,
  tool,
  target,
  capability,
  upstream,
  upstream_tool,
  parameters,
  sent_with,
});

const shortCharacters = 200;
const isOneLine = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.length <= shortCharacters && value !== '' && !value.includes('\n')
    : typeof value !== 'object' || value === null;

/**
 * Returns the language of executed text: SQL under the protocol `sql`, otherwise shell, which is the most likely one
 * for commands of MCP tools.
 */
export const languageOf = (protocol: string): Language => (protocol === 'sql' ? 'sql' : 'shell');

interface ValueProps {
  readonly name: string;
  readonly value: unknown;
  readonly runs: boolean;
  readonly redacted: boolean;
  readonly sources: readonly string[];
  readonly language?: Language | undefined;
}

function Value({ name, value, runs, redacted, language, sources }: ValueProps) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    <div class={runs ? 'value runs' : 'value'}>
      <p>
        <Text of={name} />
        {runs && <strong> (executed)</strong>}
        {redacted && <strong> (partly redacted)</strong>}
      </p>
      {isPatch(text) ? (
        <Patch of={text} />
      ) : (
        <Block of={text} language={typeof value === 'string' ? language : undefined} />
      )}
      <Sources of={sources} />
    </div>
  );
}

/** Sources of values, next to the places that use them. */
export const Sources = ({ of }: { readonly of: readonly string[] }) => (
  <>
    {of.map((line) => (
      <span
        key={line}
        class={/ (?:stands in the request|comes from the request)/.test(line) ? 'source' : 'source outside'}
      >
        <Icon of="external" /> <Text of={line} />
      </span>
    ))}
  </>
);

/** Checks for a patch in the format of coding agents, which the diff block does not support. */
const isPatch = (text: string): boolean => /^\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File: )/.test(text);

const patchClass = (line: string): string => {
  if (line.startsWith('*** ') || line.startsWith('@@')) return 'place';
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : '';
};

const Patch = ({ of }: { readonly of: string }) => (
  <pre>
    {of.split('\n').map((line, at) => (
      <span key={at} class={patchClass(line)} dir="ltr">
        <Text of={line} />
        {'\n'}
      </span>
    ))}
  </pre>
);
