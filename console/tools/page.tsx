/** Tools of MCP servers: those whose definition no human has accepted first, and one of them with both texts [console.tools]. */
import { useCallback, useState } from 'preact/hooks';
import type { AnswerOf } from '#core/contracts/operations.ts';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { hashOf } from '../route.ts';
import { mayVote } from '../session.ts';
import { Badge, Code, Fact, Facts, Heading, Loaded, Notice, RelativeTime, Table, Text } from '../ui.tsx';
import { plural } from '../words.ts';
import { AcceptDialog } from './accept-dialog.tsx';
import { Definition, type ToolView } from './definition.tsx';
import { addressOf, ofAddress, pathOf } from './tool-address.ts';

type Listed = AnswerOf<'listMcpTools'>['tools'][number];

const everyMs = 10_000;

export function ToolsPage(props: PageProps) {
  return props.id === undefined ? <Tools {...props} /> : <OneTool key={props.id} {...props} id={props.id} />;
}

function Tools({ api }: PageProps) {
  const ask = useCallback((signal: AbortSignal) => api.get<'listMcpTools'>('mcp/tools', signal), [api]);
  return (
    <>
      <Heading>Tools</Heading>
      <Loaded live={useLive(ask, everyMs)}>
        {({ tools }) => {
          if (tools.length === 0)
            return <p>No tool of an MCP server has been seen: a client that lists them makes the gateway read them.</p>;
          const waiting = tools.filter(({ state }) => state !== 'accepted');
          return (
            <>
              <p role="status">
                {waiting.length === 0
                  ? `${plural(tools.length, 'tool')}, each with a definition that is accepted.`
                  : `${waiting.length} of ${plural(tools.length, 'tool')} ${waiting.length === 1 ? 'has' : 'have'} a definition that no human has accepted.`}
              </p>
              <Rows tools={[...waiting, ...tools.filter(({ state }) => state === 'accepted')]} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

const Rows = ({ tools }: { readonly tools: readonly Listed[] }) => (
  <Table caption="Tools of MCP servers" heads={['Tool', 'Server', 'Definition', 'Capability', 'Decision', 'Seen']}>
    {tools.map(({ upstream, tool, state, changed, capability, decision, hidden, seen_at }) => (
      <tr key={`${upstream} ${tool}`}>
        <td>
          <a href={hashOf('tools', addressOf(upstream, tool))}>
            <Code of={tool} />
          </a>
        </td>
        <td>
          <Text of={upstream} />
        </td>
        <td>
          <Badge of={state} /> {changed?.guard && <span class="quiet">{changed.guard.join(', ')}</span>}
        </td>
        <td>{capability}</td>
        <td>
          <Badge of={decision} />
          {hidden && <span class="quiet"> not listed to clients</span>}
        </td>
        <td>
          <RelativeTime at={changed?.seen_at ?? seen_at} />
        </td>
      </tr>
    ))}
  </Table>
);

function OneTool({ api, me, id }: PageProps & { readonly id: string }) {
  const ask = useCallback((signal: AbortSignal) => api.get<'showMcpTool'>(pathOf(...ofAddress(id)), signal), [api, id]);
  const live = useLive(ask, everyMs);
  const [accepting, setAccepting] = useState<ToolView | undefined>();
  const [, tool] = ofAddress(id);
  return (
    <>
      <a href={hashOf('tools')}>← All tools</a>
      <Heading>
        Tool <Code of={tool} />
      </Heading>
      <Loaded live={live}>
        {(view) => (
          <>
            <Known of={view} />
            <section>
              <h2>
                {view.state === 'accepted'
                  ? 'Its definition'
                  : view.state === 'new'
                    ? 'What it offers'
                    : 'What has changed'}
              </h2>
              <p class="quiet">The text of the server is data: nothing in it is addressed to you.</p>
              <Definition of={view} />
            </section>
            {view.changed && mayVote(me) && (
              <section class="decide" aria-label="Accept">
                <p class="buttons">
                  <button type="button" class="good" onClick={() => setAccepting(view)}>
                    Accept…
                  </button>
                </p>
                <p class="quiet">Calls of a held tool are blocked until a person accepts its definition.</p>
              </section>
            )}
            {view.changed && !mayVote(me) && (
              <Notice kind="info">Only a person with the role operator accepts a definition.</Notice>
            )}
          </>
        )}
      </Loaded>
      {accepting && (
        <AcceptDialog
          api={api}
          view={accepting}
          close={() => {
            setAccepting(undefined);
            live.refresh();
          }}
        />
      )}
    </>
  );
}

function Known({ of }: { readonly of: ToolView }) {
  const { upstream, state, changed, capability, why, decision, matched_rule, policy_name, target_argument } = of;
  return (
    <Facts>
      <Fact name="Server">
        <Text of={upstream} />
      </Fact>
      <Fact name="Definition">
        <Badge of={state} /> <RelativeTime at={changed?.seen_at ?? of.seen_at} />
        {changed?.guard && <span class="quiet"> held for {changed.guard.join(', ')}</span>}
      </Fact>
      <Fact name="In policies">
        <Code of={policy_name} />
        {target_argument !== undefined && (
          <>
            , its target is <Code of={target_argument} />
          </>
        )}
      </Fact>
      <Fact name="Capability">
        {capability}{' '}
        <span class="quiet">
          (<Text of={why} />)
        </span>
      </Fact>
      <Fact name="Decision">
        <Badge of={decision} /> <Code of={matched_rule} />
      </Fact>
    </Facts>
  );
}
