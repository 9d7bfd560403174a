/** What two versions decide differently, each region by its shortest call, and every key that differs. */
import { useCallback } from 'preact/hooks';
import type { AnswerOf } from '#core/contracts/operations.ts';
import type { Api } from '../api.ts';
import { useLive } from '../live.ts';
import { Badge, Code, Loaded, Notice, Table, Text } from '../ui.tsx';

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
      <Loaded live={useLive(ask, 0)}>
        {(diff) => (
          <>
            {diff.lifted_guards.length > 0 && (
              <Notice kind="warn">
                Lifted guards, whose calls are left to the rules: <Text of={diff.lifted_guards.join(', ')} />
              </Notice>
            )}
            <Decided of={diff} />
            {diff.levels.map((level) => (
              <section key={level.path}>
                <h4>
                  Rules of level <Text of={level.path} />, by themselves
                </h4>
                <Decided of={level} />
              </section>
            ))}
            <Changes of={diff.changes} />
          </>
        )}
      </Loaded>
      <button type="button" onClick={close}>
        Close the comparison
      </button>
    </section>
  );
}

type Diff = AnswerOf<'policyDiff'>;

export const Decided = ({ of }: { readonly of: Pick<Diff, 'analysed' | 'tightened' | 'loosened'> }) => (
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
      <p>None.</p>
    ) : (
      <Table caption="Keys of the configuration that differ" heads={['Key', 'Before', 'After']}>
        {of.map(({ path, from, to }) => (
          <tr key={path}>
            <td>
              <Code of={path} />
            </td>
            <td>{from === undefined ? 'not set' : <Text of={from} />}</td>
            <td>{to === undefined ? 'not set' : <Text of={from === to ? `another value (${to})` : to} />}</td>
          </tr>
        ))}
      </Table>
    )}
  </>
);

type Region = AnswerOf<'policyDiff'>['tightened'][number];

const Regions = ({ title, regions }: { readonly title: string; readonly regions: readonly Region[] }) => (
  <>
    <h4>{title}</h4>
    {regions.length === 0 && <p>Nothing.</p>}
    <ul class="plain-list">
      {regions.map(({ from, to, rule_before, rule_after, approval, example }, at) => (
        <li key={at}>
          <Badge of={from} /> → <Badge of={to} /> <Code of={example.tool} /> on{' '}
          <Text of={example.target || 'any target'} />{' '}
          <span class="quiet">
            ({example.protocol}, {example.capability}; <Text of={rule_before} /> → <Text of={rule_after} />
            {approval && (
              <>
                ; {approval.before} → {approval.after}
              </>
            )}
            )
          </span>
        </li>
      ))}
    </ul>
  </>
);
