/** In-memory executions, as strict as the table: every write is conditional and stores copies. */
import type { Execution, ExecutionStore } from '#adapters/local/asl/execution.ts';

export function memoryExecutions() {
  const rows = new Map<string, Execution>();
  const history: Execution[] = [];
  const keep = (execution: Execution) => {
    const copy = structuredClone(execution);
    rows.set(execution.name, copy);
    history.push(copy);
    return true;
  };
  const store: ExecutionStore = {
    create: async (execution) => !rows.has(execution.name) && keep(execution),
    save: async (next) => rows.get(next.name)?.revision === next.revision - 1 && keep(next),
    get: async (_machine, name) => structuredClone(rows.get(name)),
    running: async () => structuredClone([...rows.values()].filter(({ status }) => status === 'running')),
  };
  return { store, history, row: (name: string) => rows.get(name) };
}
