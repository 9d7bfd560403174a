/**
 * The cost of reading SQL: loading the grammar once, then parsing a 2 kB statement and extracting its operations per
 * table.
 */
import { sqlGrammar } from '#adapters/sql/grammar.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { sqlEffects } from '#core/effects/sql.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { decide } from '#core/policy/rules/decide.ts';
import { policyOf } from './tool-policy.ts';

export async function benchSqlEffects(): Promise<Record<string, number>> {
  const start = performance.now();
  const grammar = await sqlGrammar();
  const load = performance.now() - start;
  const read = sqlEffects(grammar);
  const policy = compilePolicy(policyOf(100));
  const call = sqlCall(statementOfLength(2048));
  const decideAll = (): void => {
    const { parts } = read(call);
    if (parts.length === 0) throw new Error("the benchmark's SQL could not be read");
    for (const part of parts) decide(policy, part);
  };
  return {
    grammar_load_ms: load,
    sql_2kb_parse_p50_us: median(400, () => void grammar(String(call.parameters.sql))),
    sql_2kb_parse_and_read_p50_us: median(400, () => void read(call)),
    sql_2kb_parse_read_decide_p50_us: median(400, decideAll),
  };
}

const sqlCall = (sql: string): ToolCall => ({
  protocol: 'sql',
  tool: 'sql.query',
  target: 'shop',
  capability: 'read',
  parameters: { sql },
});

/**
 * Builds a report query like those people write (CTEs, joins, subqueries, expressions), up to `length` characters long.
 */
function statementOfLength(length: number): string {
  const head = `with recent as (select o.id, o.customer_id, sum(l.quantity * l.price) as total
    from shop.orders o join shop.order_lines l on l.order_id = o.id
    where o.created_at > now() - interval '30 days' and o.status in ('paid', 'sent') group by 1, 2)
select c.name, c.country, count(*) as orders, round(avg(r.total), 2) as mean
from shop.customers c left join recent r on r.customer_id = c.id where c.active`;
  let text = head;
  for (let i = 0; text.length < length - 160; i++) {
    text += `\n  and exists (select 1 from shop.events_${i} e where e.customer_id = c.id and lower(e.kind) = 'visit_${i}')`;
  }
  return `${text}\ngroup by 1, 2 order by 4 desc nulls last limit 100`;
}

function median(rounds: number, run: () => void): number {
  for (let i = 0; i < rounds / 4; i++) run();
  const micros = Array.from({ length: rounds }, () => {
    const start = performance.now();
    run();
    return (performance.now() - start) * 1000;
  });
  return micros.sort((a, b) => a - b)[rounds >> 1]!;
}
