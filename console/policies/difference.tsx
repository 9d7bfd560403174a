/** What two versions decide differently, each region by its shortest call. */
import { useCallback } from 'preact/hooks';
import type { AnswerOf } from '#core/contracts/operations.ts';
import type { Api } from '../api.ts';
import { useLive } from '../live.ts';
import { Asked, Badge, Code, Notice, Text } from '../ui.tsx';

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
    <section>
      <h3>
        From version {from} to version {to}
      </h3>
      <Asked live={useLive(ask, 0)}>
        {(diff) => (
          <>
            {!diff.analysed && <Notice kind="warn">Some pairs of rules were too costly to compare.</Notice>}
            <Regions title="Tightened" regions={diff.tightened} />
            <Regions title="Loosened" regions={diff.loosened} />
          </>
        )}
      </Asked>
      <button type="button" onClick={close}>
        Close the comparison
      </button>
    </section>
  );
}

type Region = AnswerOf<'policyDiff'>['tightened'][number];

const Regions = ({ title, regions }: { readonly title: string; readonly regions: readonly Region[] }) => (
  <>
    <h4>{title}</h4>
    {regions.length === 0 && <p>Nothing.</p>}
    <ul class="plain-list">
      {regions.map(({ from, to, rule_before, rule_after, example }, at) => (
        <li key={at}>
          <Badge of={from} /> → <Badge of={to} /> <Code of={example.tool} /> on{' '}
          <Text of={example.target || 'any target'} />{' '}
          <span class="quiet">
            ({example.protocol}, {example.capability}; <Text of={rule_before} /> → <Text of={rule_after} />)
          </span>
        </li>
      ))}
    </ul>
  </>
);
