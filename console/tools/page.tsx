/**
 * Tools of MCP servers, those with an unaccepted definition first; or one tool with the text of both versions
 * [console.tools].
 */
import { useCallback, useState } from 'preact/hooks';
import { countText } from '#core/kernel/count-text.ts';
import type { AnswerOf } from '#core/operations/endpoints.ts';
import { useAddress } from '../address-query.ts';
import { Badge, Risk, type RiskKind } from '../design/badge.tsx';
import { Button, Buttons } from '../design/button.tsx';
import { Choice, Field, Toolbar } from '../design/field.tsx';
import { Back, Card, Fact, Facts, Heading } from '../design/layout.tsx';
import { EmptyState, Loaded, Notice } from '../design/states.tsx';
import { Table } from '../design/table.tsx';
import { Code, Text } from '../design/text.tsx';
import { RelativeTime } from '../design/values.tsx';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { hashOf } from '../route.ts';
import { mayVote } from '../session.ts';
import { AcceptDialog } from './accept-dialog.tsx';
import { Definition, type ToolView } from './definition.tsx';
import { ofAddress, pathOf, toolAddress } from './tool-address.ts';

type ToolRow = AnswerOf<'listMcpTools'>['tools'][number];

const everyMs = 10_000;

export function ToolsPage(props: PageProps) {
  return props.id === undefined ? <Tools {...props} /> : <OneTool key={props.id} {...props} id={props.id} />;
}

function Tools({ api }: PageProps) {
  const ask = useCallback((signal: AbortSignal) => api.get<'listMcpTools'>('mcp/tools', signal), [api]);
  return (
    <>
      <Heading lead="What MCP servers offer, and what the policy decides about a call. A changed definition is held until a person accepts it.">
        Tools
      </Heading>
      <Loaded live={useLive(ask, everyMs)} lines={8}>
        {({ tools }) =>
          tools.length === 0 ? (
            <EmptyState icon="tool" title="No tools yet" example={<Code of="agentctl mcp tools" />}>
              The gateway lists an MCP server's tools when the first client connects.
            </EmptyState>
          ) : (
            <List tools={tools} />
          )
        }
      </Loaded>
    </>
  );
}

function List({ tools }: { readonly tools: readonly ToolRow[] }) {
  const { asked, set } = useAddress();
  const waiting = tools.filter(({ state }) => state !== 'accepted');
  const servers = [...new Set(tools.map(({ upstream }) => upstream))].sort();
  const text = asked('q').toLowerCase();
  const shown = [...waiting, ...tools.filter(({ state }) => state === 'accepted')].filter(
    ({ upstream, tool, decision }) =>
      `${tool} ${upstream}`.toLowerCase().includes(text) &&
      (asked('server') === '' || upstream === asked('server')) &&
      (asked('decision') === '' || decision === asked('decision')),
  );
  return (
    <>
      <search>
        <Toolbar>
          <Field label="Search">
            {(tied) => (
              <input
                {...tied}
                type="search"
                autoComplete="off"
                spellcheck={false}
                placeholder="a tool or a server"
                value={asked('q')}
                onInput={(event) => set({ q: event.currentTarget.value })}
              />
            )}
          </Field>
          <Choice
            label="Server"
            value={asked('server')}
            options={[['', 'all'], ...servers.map((name) => [name, name] as const)]}
            choose={(server) => set({ server })}
          />
          <Choice
            label="Decision"
            value={asked('decision')}
            options={[['', 'all'], ...(['allow', 'review', 'block'] as const).map((each) => [each, each] as const)]}
            choose={(decision) => set({ decision })}
          />
        </Toolbar>
      </search>
      <p role="status">
        {waiting.length === 0
          ? `${countText(tools.length, 'tool')}, ${tools.length === 1 ? 'accepted' : 'all accepted'}.`
          : `${waiting.length} of ${countText(tools.length, 'tool')} ${waiting.length === 1 ? 'has' : 'have'} a definition that no human has accepted.`}
        {shown.length < tools.length && ` ${shown.length} shown.`}
      </p>
      <Rows tools={shown} />
    </>
  );
}

const Rows = ({ tools }: { readonly tools: readonly ToolRow[] }) => (
  <Table<ToolRow>
    caption="Tools of MCP servers"
    rows={tools}
    keyOf={({ upstream, tool }) => `${upstream} ${tool}`}
    columns={[
      {
        head: 'Tool',
        wide: true,
        cell: ({ upstream, tool, hidden }) => (
          <>
            <a href={hashOf('tools', toolAddress(upstream, tool))}>
              <Code of={tool} />
            </a>
            {hidden && <span class="quiet"> not listed to clients</span>}
          </>
        ),
      },
      { head: 'Decision', cell: ({ decision }) => <Badge of={decision} /> },
      { head: 'Can', priority: 2, cell: ({ capability }) => <Risk kind={riskOf(capability)} of={capability} /> },
      { head: 'Server', priority: 2, cell: ({ upstream }) => <Text of={upstream} /> },
      {
        head: 'Definition',
        priority: 2,
        cell: ({ state, changed }) => (
          <>
            <Badge of={state} /> {changed?.guard && <span class="quiet">{changed.guard.join(', ')}</span>}
          </>
        ),
      },
      { head: 'Seen', priority: 3, cell: ({ changed, seen_at }) => <RelativeTime at={changed?.seen_at ?? seen_at} /> },
    ]}
  />
);

const risks: ReadonlySet<string> = new Set<RiskKind>(['read', 'write', 'delete', 'execute']);
const riskOf = (capability: string): RiskKind => (risks.has(capability) ? (capability as RiskKind) : 'unknown');

function OneTool({ api, me, id }: PageProps & { readonly id: string }) {
  const ask = useCallback((signal: AbortSignal) => api.get<'showMcpTool'>(pathOf(...ofAddress(id)), signal), [api, id]);
  const live = useLive(ask, everyMs);
  const [accepting, setAccepting] = useState<ToolView | undefined>();
  const [, tool] = ofAddress(id);
  return (
    <>
      <Back href={hashOf('tools')}>All tools</Back>
      <Heading>
        Tool <Code of={tool} />
      </Heading>
      <Loaded live={live}>
        {(view) => (
          <>
            <ToolFacts of={view} />
            <Card title={titles[view.state]}>
              <p class="quiet">This text comes from the server. Do not act on instructions in it.</p>
              <Definition of={view} />
            </Card>
            {view.changed && mayVote(me) && (
              <section class="decide" aria-label="Accept">
                <Buttons>
                  <Button tone="good" onClick={() => setAccepting(view)}>
                    Accept…
                  </Button>
                </Buttons>
                <p class="quiet">Calls of this tool are blocked until a person accepts its definition.</p>
              </section>
            )}
            {view.changed && !mayVote(me) && (
              <Notice kind="info">Accepting a definition requires a person with the role operator.</Notice>
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

const titles = { accepted: 'Definition', new: 'What it offers', changed: 'What has changed' } as const;

function ToolFacts({ of }: { readonly of: ToolView }) {
  const { upstream, state, changed, capability, why, decision, matched_rule, policy_name, target_argument } = of;
  return (
    <Card title="What the gateway knows">
      <Facts>
        <Fact name="Decision">
          <Badge of={decision} /> <Code of={matched_rule} />
        </Fact>
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
          <Risk kind={riskOf(capability)} of={capability} />{' '}
          <span class="quiet">
            (<Text of={why} />)
          </span>
        </Fact>
      </Facts>
    </Card>
  );
}
