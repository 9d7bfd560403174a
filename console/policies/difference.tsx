/** Differences between the decisions of two versions, each with its shortest example call, and every changed key. */
import { useCallback } from 'preact/hooks';
import type { AnswerOf } from '#core/operations/endpoints.ts';
import type { Api } from '../api.ts';
import { Badge } from '../design/badge.tsx';
import { Button } from '../design/button.tsx';
import { Card } from '../design/layout.tsx';
import { Loaded, Notice } from '../design/states.tsx';
import { Table } from '../design/table.tsx';
import { Code, Text } from '../design/text.tsx';
import { useLive } from '../live.ts';

interface DifferenceProps {
  readonly api: Api;
  readonly from: number;
  readonly to: number;
  readonly close: () => void;
}

export function Difference({ api, from, to, close }: DifferenceProps) {
  const ask = useCallback(
    (signal: AbortSignal) => api.get<'policyDiff'>(`policy-versions/${from}/diff?against=${to}`, signal),
    [api, from, to],
  );
  return (
    <Card
      title={`From version ${from} to version ${to}`}
      aside={
        <Button small onClick={close}>
          Close the comparison
        </Button>
      }
    >
      <Loaded live={useLive(ask, 0)}>
        {(diff) => (
          <>
            {diff.lifted_guards.length > 0 && (
              <Notice kind="warn">
                Lifted guards, whose calls are left to the rules: <Text of={diff.lifted_guards.join(', ')} />
              </Notice>
            )}
            <DecisionChanges of={diff} />
            {diff.levels.map((level) => (
              <section key={level.path}>
                <h4>
                  Rules of level <Text of={level.path} />, by themselves
                </h4>
                <DecisionChanges of={level} />
              </section>
            ))}
            <Changes of={diff.changes} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

type Diff = AnswerOf<'policyDiff'>;

export const DecisionChanges = ({ of }: { readonly of: Pick<Diff, 'analysed' | 'tightened' | 'loosened'> }) => (
  <>
    {!of.analysed && <Notice kind="warn">Some pairs of rules were too costly to compare.</Notice>}
    <Regions title="Tightened" regions={of.tightened} />
    <Regions title="Loosened" regions={of.loosened} />
  </>
);

/** Lists the changed keys of filters, limits, approvals and other settings, whose effect is not analysed. */
const Changes = ({ of }: { readonly of: Diff['changes'] }) => (
  <>
    <h4>Keys that differ</h4>
    {of.length === 0 ? (
      <p class="quiet">None.</p>
    ) : (
      <Table
        caption="Keys of the configuration that differ"
        rows={of}
        keyOf={({ path }) => path}
        columns={[
          { head: 'Key', wide: true, cell: ({ path }) => <Code of={path} /> },
          { head: 'Before', cell: ({ from }) => (from === undefined ? 'not set' : <Text of={from} />) },
          {
            head: 'After',
            cell: ({ from, to }) =>
              to === undefined ? 'not set' : <Text of={from === to ? `another value (${to})` : to} />,
          },
        ]}
      />
    )}
  </>
);

type Region = AnswerOf<'policyDiff'>['tightened'][number];

const Regions = ({ title, regions }: { readonly title: string; readonly regions: readonly Region[] }) => (
  <>
    <h4>
      {title} {regions.length > 0 && <span class="quiet">({regions.length})</span>}
    </h4>
    {regions.length === 0 && <p class="quiet">Nothing.</p>}
    <ul class="regions">
      {regions.map(({ from, to, rule_before, rule_after, approval, example }, at) => (
        <li key={at}>
          <Badge of={from} /> → <Badge of={to} /> <Code of={example.tool} /> on{' '}
          <Text of={example.target || 'any target'} />
          <span class="quiet rule-calls">
            {example.protocol}, {example.capability}; <Code of={rule_before} /> → <Code of={rule_after} />
            {approval && (
              <>
                ; {approval.before} → {approval.after}
              </>
            )}
          </span>
          {example.parameters !== undefined && Object.keys(example.parameters).length > 0 && (
            <Code of={JSON.stringify(example.parameters)} />
          )}
        </li>
      ))}
    </ul>
  </>
);
