/**
 * Walks one parsed statement through the nodes in `nodes.ts` and collects its operations. The walk is iterative,
 * because nesting may be deeper than the stack of this process allows. An unknown node or member makes the text
 * unclear, and is still walked to find operations below it.
 */

import {
  attributeEffects,
  type FunctionScan,
  functionScan,
  type QualifiedColumn,
  qualifiedColumn,
  scanEffects,
} from './attributes.ts';
import { intoTable, rowLocks } from './data.ts';
import { callEffect, callOperation } from './functions.ts';
import { qualifiedNameOf, relationName } from './names.ts';
import { definitionNodes, placeMember, shapes } from './nodes.ts';
import { type Operation, operation, operationOn, type StatementReader } from './operation.ts';
import { betweenOperators, operatorEffect, operatorForms } from './operators.ts';
import { isHidden, neverEnds, openWith, type Scope } from './scope.ts';
import { isTree, listAt, stringsOf, type Tree } from './tree.ts';
import { typeEffect } from './types.ts';

interface Visit {
  /** Kind of the node, set if the tree omits it. */
  readonly kind?: string;
  readonly node: unknown;
  readonly scope: Scope | undefined;
  /** Set inside `EXPLAIN` without ANALYZE, which executes nothing. */
  readonly planned: boolean;
  /** Set inside a definition, which may name a type without a cast. */
  readonly defining: boolean;
}

type Readers = ReadonlyMap<string, StatementReader>;

/** @returns the operations of the statement. Adds reasons to `unclear`. */
export function walkStatement(statement: unknown, readers: Readers, unclear: Set<string>): Operation[] {
  return new Walk(readers, unclear).of(statement);
}

class Walk {
  readonly #readers: Readers;
  readonly #unclear: Set<string>;
  readonly #found: Operation[] = [];
  readonly #stack: Visit[] = [];
  readonly #columns: QualifiedColumn[] = [];
  readonly #scans: FunctionScan[] = [];

  constructor(readers: Readers, unclear: Set<string>) {
    this.#readers = readers;
    this.#unclear = unclear;
  }

  of(statement: unknown): Operation[] {
    this.#stack.push({ node: statement, scope: undefined, planned: false, defining: false });
    for (let visit = this.#stack.pop(); visit; visit = this.#stack.pop()) this.#visit(visit);
    this.#found.push(...scanEffects(this.#columns, this.#scans));
    return this.#found;
  }

  #visit(visit: Visit): void {
    const { node, kind } = visit;
    if (Array.isArray(node)) {
      for (const item of node) this.#stack.push({ ...visit, node: item });
      return;
    }
    if (!isTree(node)) return;
    if (kind !== undefined) {
      this.#read(kind, node, visit);
      return;
    }
    const keys = Object.keys(node);
    // PostgreSQL writes an empty node to represent a gap in a list.
    if (keys.length === 0) return;
    const only = keys[0]!;
    const body = node[only];
    if (keys.length === 1 && /^[A-Z]/.test(only) && isTree(body)) this.#read(only, body, visit);
    else if (typeof node.relname === 'string') this.#read('RangeVar', node, visit);
    else for (const key of keys) this.#push(node[key], visit);
  }

  #read(kind: string, body: Tree, visit: Visit): void {
    const reader = this.#readers.get(kind);
    const shape = shapes.get(kind);
    if (!reader && !shape && !definitionNodes.has(kind))
      this.#unclear.add(
        /Stmt$/.test(kind) ? `a statement of kind ${kind} is not supported` : `${kind} is not supported`,
      );
    const reading = reader?.(body);
    if (reading?.unclear !== undefined) this.#unclear.add(reading.unclear);
    this.#add(reading?.operations ?? [], visit.planned);
    const inside: Visit = {
      ...visit,
      scope: this.#enterWith(body, visit),
      planned: visit.planned || reading?.planned === true,
      // A query inside a definition casts its values, while other parts of a definition only name types.
      defining: shape === undefined || (visit.defining && !casting.has(kind)),
    };
    this.#effects(kind, body, inside);
    const skip = reading?.skip ?? [];
    for (const key of Object.keys(body)) {
      if (key === placeMember || skip.includes(key)) continue;
      const member = shape ? shape.get(key) : 'nodes';
      if (member === undefined) this.#unclear.add(`${key} of ${kind} is not supported`);
      if (member === 'plain') continue;
      this.#push(body[key], inside, typeof member === 'object' ? member.kind : undefined);
    }
    for (const extra of reading?.visit ?? []) this.#push(extra, inside);
  }

  #push(node: unknown, visit: Visit, kind?: string): void {
    if (node === null || typeof node !== 'object') return;
    const { scope, planned, defining } = visit;
    this.#stack.push({ node, scope, planned, defining, ...(kind !== undefined && { kind }) });
  }

  #add(operations: readonly (Operation | undefined)[], planned: boolean): void {
    for (const each of operations) if (each) this.#found.push(planned ? plan(each) : each);
  }

  /** Records function calls, even in a plan, because planning may execute functions that it considers constant. */
  #call(...operations: readonly (Operation | undefined)[]): void {
    this.#add(operations, false);
  }

  #effects(kind: string, body: Tree, { scope, planned, defining }: Visit): void {
    if (kind === 'RangeVar') {
      if (!isHidden(body, scope)) this.#add([operationOn('select', 'read', 'table', relationName(body))], planned);
    } else if (kind === 'SelectStmt') {
      this.#add(rowLocks(body), planned);
      if (isTree(body.intoClause)) this.#add(intoTable(body.intoClause), planned);
    } else if (kind === 'FuncCall') this.#call(callEffect(body));
    else if (kind === 'A_Expr') this.#operator(body);
    else if (kind === 'SortBy') this.#call(operatorEffect(listAt(body, 'useOp')));
    else if (kind === 'SubLink') this.#call(operatorEffect(listAt(body, 'operName')));
    else if (kind === 'A_Indirection') this.#call(...attributeEffects(body));
    else if (kind === 'TypeName' && !defining) this.#type(body);
    else if (kind === 'RangeTableSample') this.#sampling(body);
    else if (kind === 'RangeFunction') {
      const scan = functionScan(body);
      if (scan) this.#scans.push(scan);
      else this.#unclear.add('a FROM item has no name');
    } else if (kind === 'ColumnRef') {
      const column = qualifiedColumn(body);
      if (column) this.#columns.push(column);
    }
  }

  #operator(expression: Tree): void {
    if (operatorForms.has(expression.kind)) this.#call(operatorEffect(listAt(expression, 'name')));
    else if (!betweenOperators.has(expression.kind))
      this.#unclear.add(`an expression of kind ${String(expression.kind)} is not supported`);
  }

  #type(type: Tree): void {
    if (type.setof === true || type.pct_type === true) this.#unclear.add('a cast does not name a plain type');
    this.#call(typeEffect(type));
  }

  #sampling(range: Tree): void {
    const words = listAt(range, 'method');
    const name = qualifiedNameOf(words);
    const builtIn = stringsOf(words).length === 1 || name.schema === 'pg_catalog';
    if (!builtIn || !samplingMethods.has(name.name)) this.#call(callOperation(name, 'sampling'));
  }

  /** Opens the scope of a WITH clause and pushes its queries onto the stack. */
  #enterWith(body: Tree, visit: Visit): Scope | undefined {
    if (!isTree(body.withClause)) return visit.scope;
    if (neverEnds(body.withClause, body)) this.#unclear.add('a recursive query has no condition that ends it');
    const { queries, scope } = openWith(body.withClause, visit.scope);
    for (const { cte, scope: sees } of queries)
      this.#push(cte, { ...visit, scope: sees, defining: false }, 'CommonTableExpr');
    return scope;
  }
}

const samplingMethods: ReadonlySet<string> = new Set(['bernoulli', 'system']);

/** Nodes below which a type is the target of a cast, even inside a definition. */
const casting: ReadonlySet<string> = new Set([
  'SelectStmt',
  'InsertStmt',
  'UpdateStmt',
  'DeleteStmt',
  'MergeStmt',
  'TypeCast',
]);

/** Reduces an operation to its table, because `EXPLAIN` without ANALYZE only plans. */
const plan = ({ verb, target, parameters }: Operation): Operation =>
  operation('explain', 'read', target, { ...parameters, plans: verb });
