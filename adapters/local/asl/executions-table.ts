/** State machine executions: a table used only in local runs. On AWS, Step Functions stores them. */
import { allRows, type Row, type StoreOptions } from '#adapters/tables/store.ts';
import type { Execution, ExecutionStore } from './execution.ts';

/** Step Functions reserves execution names for 90 days. */
const keptSeconds = 90 * 86_400;

export function executionsTable({ store }: StoreOptions): ExecutionStore {
  const read = async (id: string): Promise<Execution | undefined> => {
    const row = await store.get('executions', { id });
    return row && toExecution(row);
  };
  return {
    create: async (execution) => (await store.put('executions', toStored(execution), { if: { absent: 'id' } })).written,
    save: async (next) =>
      (await store.put('executions', toStored(next), { if: { equals: ['revision', next.revision - 1] } })).written,
    get: (machine, name) => read(executionKey({ machine, name })),
    running: async (machine) => {
      const query = { index: 'by_status', partition: `${machine}#running` };
      const ids = await allRows<{ id: string }>(store, 'executions', query);
      const rows = await Promise.all(ids.map(({ id }) => read(id)));
      return rows.filter((row) => row !== undefined).filter((row) => row.status === 'running');
    },
  };
}

const executionKey = ({ machine, name }: Pick<Execution, 'machine' | 'name'>) => `${machine}/${name}`;

/**
 * Converts an execution for storage. The state machine's values become JSON text, because DynamoDB cannot store all
 * JSON values.
 */
function toStored(execution: Execution): Row {
  const { input, variables, executionInput, output, ...plain } = execution;
  return {
    ...plain,
    id: executionKey(execution),
    machine_status: `${execution.machine}#${execution.status}`,
    started: new Date(execution.startedAt).toISOString(),
    body: JSON.stringify({ input, variables, executionInput, output }),
    ...(execution.endedAt !== undefined && { ttl: Math.floor(execution.endedAt / 1000) + keptSeconds }),
  };
}

function toExecution(row: Row): Execution {
  const { id: _id, machine_status: _status, started: _started, ttl: _ttl, body, ...plain } = row;
  return { ...plain, ...JSON.parse(String(body)) } as Execution;
}
