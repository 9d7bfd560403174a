/**
 * PostgreSQL's own grammar, compiled to WebAssembly. It is loaded on the first SQL call and kept. A parser that ran out
 * of stack is discarded, because its state must not affect the next statement.
 */
import { GatewayError } from '#core/kernel/errors.ts';

/** PostgreSQL 18's result: `{ stmts: [{ stmt: { SelectStmt: … } }] }`. */
interface ParseResult {
  readonly version: number;
  readonly stmts?: readonly { readonly stmt?: unknown }[];
}

/** @throws GatewayError `invalid_request` with PostgreSQL's message if the grammar rejects the SQL. */
export type SqlGrammar = (sql: string) => ParseResult;

/** The parts of the compiled module used here. */
interface Parser {
  lengthBytesUTF8(text: string): number;
  stringToUTF8(text: string, at: number, bytes: number): void;
  UTF8ToString(at: number): string;
  getValue(at: number, type: 'i32'): number;
  _malloc(bytes: number): number;
  _free(at: number): void;
  _wasm_parse_query_raw(text: number): number;
  _wasm_free_parse_result(result: number): void;
}

/** Length from which SQL counts as long, because a parser never releases the memory that long SQL required. */
const longText = 32 * 1024;

let grammar: Promise<SqlGrammar> | undefined;

/** Loads the grammar once for all callers (about 20 ms). If loading fails, the next call retries. */
export function sqlGrammar(): Promise<SqlGrammar> {
  grammar ??= load().catch((fault: unknown) => {
    grammar = undefined;
    throw new GatewayError('server_error', "PostgreSQL's grammar could not be loaded.", { cause: fault });
  });
  return grammar;
}

async function load(): Promise<SqlGrammar> {
  const { default: create } = (await import('libpg-query/wasm/libpg-query.js')) as {
    default: () => Promise<Parser>;
  };
  let parser: Parser | undefined = await create();
  let coming = false;
  /** Replaces the parser. The current one, if any, stays in use until the new one is ready. */
  const renew = async (): Promise<void> => {
    if (coming) return;
    coming = true;
    try {
      parser = await create();
    } catch {
      // The next call retries.
    } finally {
      coming = false;
    }
  };

  return (sql) => {
    if (!parser) {
      void renew();
      throw new GatewayError('service_unavailable', 'the SQL grammar is being reloaded; try again');
    }
    try {
      return parseWith(parser, sql);
    } catch (thrown) {
      if (thrown instanceof GatewayError) throw thrown;
      parser = undefined;
      void renew();
      throw new GatewayError('invalid_request', 'the SQL text nests too deeply to be read', { cause: thrown });
    } finally {
      if (parser && sql.length > longText) void renew();
    }
  };
}

function parseWith(parser: Parser, sql: string): ParseResult {
  const bytes = parser.lengthBytesUTF8(sql) + 1;
  const text = parser._malloc(bytes);
  parser.stringToUTF8(sql, text, bytes);
  const result = parser._wasm_parse_query_raw(text);
  try {
    if (result === 0) throw new Error('the parser is out of memory');
    // struct PgQueryParseResult { char *tree; char *stderr; PgQueryError *error; }
    const error = parser.getValue(result + 8, 'i32');
    if (error !== 0) throw new GatewayError('invalid_request', parser.UTF8ToString(parser.getValue(error, 'i32')));
    return JSON.parse(parser.UTF8ToString(parser.getValue(result, 'i32'))) as ParseResult;
  } finally {
    parser._free(text);
    if (result !== 0) parser._wasm_free_parse_result(result);
  }
}
