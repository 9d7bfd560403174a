/** The whole call: what is executed stands first, what is redacted is named. */
import { Block, Code, Fact, Facts, Notice, Text } from '../ui.tsx';
import type { Language } from './highlight.ts';
import { type Item, inReadingOrder, names, pathOf } from './items.ts';

export function CallOf({ item }: { readonly item: Item }) {
  const { protocol, target, capability, upstream, upstream_tool, sent_with, withheld } = item;
  const executed = item.executed ?? [];
  const parameters = inReadingOrder(item).map(([name, value]) => ({
    name,
    value,
    runs: names(executed, pathOf(name)),
    redacted: names(withheld, pathOf(name)),
  }));
  return (
    <>
      {names(executed, '$.target') && (
        <Value name="target" value={target} runs redacted={false} language={languageOf(protocol)} />
      )}
      {parameters.map((parameter) => (
        <Value key={parameter.name} {...parameter} language={parameter.runs ? languageOf(protocol) : undefined} />
      ))}
      {parameters.length === 0 && <p class="quiet">The call has no parameters.</p>}
      {sent_with && <Value name="sent with the call" value={sent_with} runs={false} redacted={false} />}
      {withheld.length > 0 && (
        <Notice kind="warn">
          Redacted as sensitive:{' '}
          {withheld.map((path) => (
            <Code key={path} of={path} />
          ))}
          . The decision covers their values too.
        </Notice>
      )}
      <Facts>
        <Fact name="Protocol">
          <Text of={protocol} />, {capability}
        </Fact>
        {upstream && (
          <Fact name="Server">
            <Text of={upstream} />
            {upstream_tool && (
              <>
                {' '}
                (<Code of={upstream_tool} /> there)
              </>
            )}
          </Fact>
        )}
      </Facts>
    </>
  );
}

/** Of executed texts under other protocols (commands of MCP tools) shell is the likelier one. */
export const languageOf = (protocol: string): Language => (protocol === 'sql' ? 'sql' : 'shell');

interface ValueProps {
  readonly name: string;
  readonly value: unknown;
  readonly runs: boolean;
  readonly redacted: boolean;
  readonly language?: Language | undefined;
}

function Value({ name, value, runs, redacted, language }: ValueProps) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    <div class={runs ? 'value runs' : 'value'}>
      <p>
        <Text of={name} />
        {runs && <strong> (executed)</strong>}
        {redacted && <strong> (partly redacted)</strong>}
      </p>
      <Block of={text} language={typeof value === 'string' ? language : undefined} />
    </div>
  );
}
