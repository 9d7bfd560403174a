/** Cost of a call in integer micro-dollars, rounded up. */
import type { Usage } from '#core/contracts/chat.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { PriceTable } from '#core/contracts/prices.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { mockModelName } from '#core/models/providers/demo.ts';
import { modelMatches } from '#core/models/routing/model-glob.ts';
import type { Limits } from './ports.ts';

/** Prices in picodollars (10⁻¹² USD) per token. They are integers, so that sums over millions of calls stay exact. */
interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  /** Factors, in thousandths, that apply to input and output prices if there are more input tokens than this. */
  readonly long?: { readonly aboveTokens: number; readonly input: number; readonly output: number };
  /** True if the model is not in the table. The table's highest prices are used in that case. */
  readonly estimated: boolean;
}

/**
 * Returns the price of a model, or `unknown` if the model is not in the table and the price may not be estimated,
 * either because of `prices.unknown_model: refuse` or because there is no table.
 */
export function priceOf({ prices }: Configuration, model: string): Price | 'unknown' {
  const known = priceIn(prices.table, model);
  if (known) return known;
  return prices.unknown_model === 'refuse' || !prices.table ? 'unknown' : dearestOf(prices.table);
}

/**
 * Returns the amount to reserve. It is at least as much as the call can cost, so input is priced at least as a cache
 * write.
 * @param surcharge factor on the price for request options.
 * @throws GatewayError `model_not_allowed` if a budget applies and the price is unknown, because an unknown cost must
 * not be spent.
 */
export function reserveCost(
  configuration: Configuration,
  model: string,
  usage: Usage,
  limits: Pick<Limits, 'budgets'>,
  surcharge = 1,
): number {
  const price = priceOf(configuration, model);
  if (price === 'unknown') {
    if (limits.budgets.length === 0) return costOf(configuration, model, usage, surcharge).microusd;
    throw new GatewayError(
      'model_not_allowed',
      `The price of the model ${JSON.stringify(model)} is not known and a budget applies; add it to the prices, or set prices.unknown_model to estimate.`,
    );
  }
  return charge({ ...price, input: Math.max(price.input, price.cacheWrite) }, usage, surcharge);
}

/** Returns the cost of a call. If there is no price at all, the cost is 0 and marked as estimated. */
export function costOf(
  { prices }: Pick<Configuration, 'prices'>,
  model: string,
  usage: Usage,
  surcharge = 1,
): { readonly microusd: number; readonly estimated: boolean } {
  const price = priceIn(prices.table, model) ?? (prices.table && dearestOf(prices.table));
  return price
    ? { microusd: charge(price, usage, surcharge), estimated: price.estimated }
    : { microusd: 0, estimated: true };
}

/**
 * Returns the cost of a demo response. It is based on the mock's price row, never on the requested model. If there is
 * no such row, the cost is 0.
 */
export function demoCost(
  { prices }: Pick<Configuration, 'prices'>,
  model: string,
  usage: Usage,
): { readonly microusd: number; readonly estimated: boolean } {
  const price = priceIn(prices.table, mockModelName(model));
  return { microusd: price ? charge(price, usage, 1) : 0, estimated: false };
}

function charge(price: Price, usage: Usage, surcharge: number): number {
  const { cache_write_tokens = 0, cache_write_1h_tokens = 0 } = usage;
  const hour = Math.min(cache_write_tokens, cache_write_1h_tokens);
  const long = price.long && contextOf(usage) > price.long.aboveTokens ? price.long : undefined;
  const input =
    times(usage.input_tokens, price.input) +
    times(usage.cache_read_tokens, price.cacheRead) +
    times(cache_write_tokens - hour, price.cacheWrite) +
    times(hour, price.cacheWrite1h);
  const output = times(usage.output_tokens, price.output);
  const picodollars = long
    ? (input * BigInt(long.input) + output * BigInt(long.output) + 999n) / 1000n
    : input + output;
  const charged = surcharge === 1 ? picodollars : (picodollars * BigInt(Math.ceil(surcharge * 1000)) + 999n) / 1000n;
  return Number((charged + 999_999n) / 1_000_000n);
}

/** Returns the tokens that the model reads, including cached ones. */
export const contextOf = ({ input_tokens, cache_read_tokens = 0, cache_write_tokens = 0 }: Usage): number =>
  input_tokens + cache_read_tokens + cache_write_tokens;

/** Input size above which vendors with a long-context price charge that price. */
const longFromTokens = 200_000;

/**
 * Reports whether a vendor may charge more for a call because of its length, although the table lists no such price
 * [budget.served].
 */
export function lacksLongPrice({ prices }: Pick<Configuration, 'prices'>, model: string, usage: Usage): boolean {
  if (contextOf(usage) <= longFromTokens) return false;
  const price = priceIn(prices.table, model);
  return price !== undefined && price.input > 0 && price.long === undefined;
}

/** Multiplies a provider's token count by a price. Invalid counts cost nothing; fractions are rounded up. */
const times = (tokens: number | undefined, price: number): bigint =>
  tokens !== undefined && Number.isFinite(tokens) && tokens > 0 ? BigInt(Math.ceil(tokens)) * BigInt(price) : 0n;

type PriceRow = PriceTable['models'][number];

function priceIn(table: PriceTable | undefined, model: string): Price | undefined {
  if (!table) return undefined;
  return priceCache(table).getOrInsertComputed(model, () => {
    const row = table.models.find(({ match }) => modelMatches(match, model));
    return row && priceOfRow(row);
  });
}

/** Maximum number of models that are remembered, because callers choose the names. */
const maxModels = 500;
/** A table's prices by model, cached because each call needs its price three times. */
const priceCache = remembered((_: PriceTable) => new RecentMap<string, Price | undefined>({ max: maxModels }));

/** Converts USD per million tokens (micro-dollars per token) to picodollars per token. */
const picodollars = (usdPerMillion: number): number => Math.round(usdPerMillion * 1_000_000);

function priceOfRow(row: PriceRow): Price {
  const input = picodollars(row.input_usd_per_million);
  return {
    input,
    output: picodollars(row.output_usd_per_million),
    cacheRead: row.cache_read_usd_per_million === undefined ? input : picodollars(row.cache_read_usd_per_million),
    cacheWrite: row.cache_write_usd_per_million === undefined ? input : picodollars(row.cache_write_usd_per_million),
    cacheWrite1h: hourlyOf(row, input),
    ...(row.long_context && { long: longOf(row, row.long_context) }),
    estimated: false,
  };
}

const hourlyOf = (
  { cache_write_usd_per_million = 0, cache_write_1h_usd_per_million: hourly }: PriceRow,
  input: number,
): number =>
  hourly === undefined ? Math.max(2 * input, picodollars(cache_write_usd_per_million)) : picodollars(hourly);

/** Returns the factors for long contexts. A list price of 0 stays 0. */
function longOf(row: PriceRow, long: NonNullable<PriceRow['long_context']>): NonNullable<Price['long']> {
  const thousandths = (of: number, to: number) => (of === 0 ? 1000 : Math.ceil((1000 * to) / of));
  return {
    aboveTokens: long.above_tokens,
    input: thousandths(row.input_usd_per_million, long.input_usd_per_million),
    output: thousandths(row.output_usd_per_million, long.output_usd_per_million),
  };
}

/** Returns the highest price of each kind in the table. */
const dearestOf = remembered((table: PriceTable): Price => {
  const prices = table.models.map(priceOfRow);
  const max = (kind: 'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'cacheWrite1h') =>
    Math.max(...prices.map((price) => price[kind]));
  return {
    input: max('input'),
    output: max('output'),
    cacheRead: max('cacheRead'),
    cacheWrite: max('cacheWrite'),
    cacheWrite1h: max('cacheWrite1h'),
    estimated: true,
  };
});
