/** The card of providers or MCP servers: how many are up, with the worst first. */
import { Badge } from '../design/badge.tsx';
import type { IconName } from '../design/icon.tsx';
import { Figure } from '../design/layout.tsx';
import { Loaded } from '../design/states.tsx';
import { Text } from '../design/text.tsx';
import type { Status } from '../health/words.ts';
import type { LiveAnswer } from '../live.ts';
import type { Page } from '../page-names.ts';
import { mostListed, Part } from './part.tsx';

type Dependency = Status['dependencies'][number];

interface DependenciesProps {
  readonly status: LiveAnswer<Status>;
  readonly title: string;
  readonly icon: IconName;
  readonly page: Page;
  readonly kind: Dependency['kind'];
  readonly none: string;
}

function summaryOf(parts: readonly Dependency[]) {
  const count = (...states: readonly Dependency['state'][]) =>
    parts.filter(({ state }) => states.includes(state)).length;
  const bad = count('down', 'degraded');
  const up = count('up');
  if (bad > 0) return <Figure of={`${bad} of ${parts.length}`}>down or degraded</Figure>;
  if (up === 0) return <Figure of={parts.length}>not called yet</Figure>;
  return <Figure of={up === parts.length ? up : `${up} of ${parts.length}`}>up</Figure>;
}

const worstFirst: readonly Dependency['state'][] = ['down', 'degraded', 'unknown', 'up'];

export const Dependencies = ({ status, title, icon, page, kind, none }: DependenciesProps) => (
  <Part title={title} icon={icon} page={page}>
    <Loaded live={status}>
      {({ dependencies }) => {
        const found = dependencies
          .filter((dependency) => dependency.kind === kind)
          .toSorted((one, other) => worstFirst.indexOf(one.state) - worstFirst.indexOf(other.state));
        return found.length === 0 ? (
          <p class="quiet">{none}</p>
        ) : (
          <>
            {summaryOf(found)}
            <ul class="rows">
              {found.slice(0, mostListed).map(({ name, state, reason }) => (
                <li key={name} title={reason}>
                  <Text of={name} />
                  <span class="end">
                    <Badge of={state} />
                  </span>
                </li>
              ))}
            </ul>
          </>
        );
      }}
    </Loaded>
  </Part>
);
