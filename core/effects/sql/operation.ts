/** One operation of a SQL text on one object, before it becomes a part of the call. */
import type { QualifiedName } from './names.ts';
import type { Tree } from './tree.ts';

export type Capability = 'read' | 'write' | 'delete' | 'execute';

export interface Operation {
  /** The tool is `sql.<verb>`. */
  readonly verb: string;
  readonly target: string;
  readonly capability: Capability;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What one kind of statement does, and what of it is still to be walked. */
interface StatementReading {
  readonly operations: readonly Operation[];
  /** Members that name what is operated on, not what is read. */
  readonly skip?: readonly string[];
  /** Nodes inside skipped members that are to be walked. */
  readonly visit?: readonly unknown[];
  /** What is inside is planned only, not carried out. */
  readonly planned?: boolean;
  readonly unclear?: string;
}

export type StatementReader = (body: Tree) => StatementReading;

export const operation = (
  verb: string,
  capability: Capability,
  target: string,
  parameters: Readonly<Record<string, unknown>> = {},
): Operation => ({ verb, capability, target, parameters });

/** An operation on something that has a schema. */
export const operationOn = (
  verb: string,
  capability: Capability,
  object: string,
  { target, schema, database }: QualifiedName,
  parameters: Readonly<Record<string, unknown>> = {},
): Operation =>
  operation(verb, capability, target, {
    object,
    schema,
    ...(database !== undefined && { database }),
    ...parameters,
  });
