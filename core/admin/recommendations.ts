/** What would cost less, from what the tenant has used. */
import { isoTime } from '#core/kernel/ports.ts';
import { type RequestRow, recentHours } from '#core/observatory/request-row.ts';
import { cheaperModels } from '#core/recommendations/cheaper-models.ts';
import { repeatedRequests } from '#core/recommendations/repeated-requests.ts';
import type { Call, Operation } from './operation.ts';

/** Models from the hourly sums of the time asked for; repeated requests from the newest calls of the last 48 hours. */
export const costRecommendations: Operation = async (call) => {
  const { ports, principal, snapshot, query } = call;
  const { configuration } = snapshot;
  const [{ models }, rows] = await Promise.all([
    ports.observations.usage(principal.tenant, query),
    newestRequests(call),
  ]);
  const recommendations = [...cheaperModels(configuration, models), ...repeatedRequests(rows, configuration.cache)];
  return { body: { tenant: principal.tenant, recommendations } };
};

const mostRows = 1_000;
const pageRows = 200;

async function newestRequests({ ports, principal }: Call): Promise<readonly RequestRow[]> {
  const since = isoTime(ports.clock.now() - recentHours * 3_600_000);
  const rows: RequestRow[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < mostRows / pageRows; pages++) {
    const place = cursor === undefined ? {} : { cursor };
    const page = await ports.observations.requests(principal.tenant, { since, limit: pageRows, ...place });
    rows.push(...page.items);
    cursor = page.cursor;
    if (cursor === undefined) break;
  }
  return rows;
}
