/** Versions of the configuration, and how their decisions differ from those of the active version. */
import type { AnswerOf } from '#core/operations/endpoints.ts';
import type { Api } from '../api.ts';
import { Badge } from '../design/badge.tsx';
import { Loaded } from '../design/states.tsx';
import { Table } from '../design/table.tsx';
import { Text } from '../design/text.tsx';
import { RelativeTime } from '../design/values.tsx';
import type { LiveAnswer } from '../live.ts';
import { go, hashOf } from '../route.ts';
import { Difference } from './difference.tsx';

interface VersionsProps {
  readonly api: Api;
  readonly live: LiveAnswer<AnswerOf<'policyVersions'>>;
  readonly compared: number | undefined;
  readonly mayCompare: boolean;
}

export const Versions = ({ api, live, compared, mayCompare }: VersionsProps) => (
  <section>
    <h2>Versions</h2>
    <Loaded live={live}>
      {({ current, versions }) => (
        <>
          {compared !== undefined && mayCompare && (
            <Difference
              key={`${compared} ${current}`}
              api={api}
              from={compared}
              to={current}
              close={() => go('policies', 'versions')}
            />
          )}
          <Table
            caption="Versions of the configuration"
            rows={versions}
            keyOf={({ version }) => String(version)}
            columns={[
              {
                head: 'Version',
                cell: ({ version }) => (
                  <>
                    {version} {version === current && <Badge of="in force" tone="info" />}
                  </>
                ),
              },
              { head: 'Stored', cell: ({ created_at }) => <RelativeTime at={created_at} /> },
              { head: 'By', priority: 2, cell: ({ created_by }) => <Text of={created_by} /> },
              {
                head: 'Source',
                priority: 2,
                cell: ({ source, of_version }) =>
                  of_version === undefined ? source : `${source} of version ${of_version}`,
              },
              {
                head: 'Differences',
                wide: true,
                cell: ({ version }) =>
                  version !== current &&
                  mayCompare && (
                    <a href={hashOf('policies', String(version))}>Compare version {version} with the one in force</a>
                  ),
              },
            ]}
          />
        </>
      )}
    </Loaded>
  </section>
);
