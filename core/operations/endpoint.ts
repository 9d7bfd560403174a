/**
 * A single definition of an endpoint. The API Gateway and local host routes, the OpenAPI document, roles, the reference
 * and the test of every route are derived from it.
 */
import type * as z from 'zod';
import type { ChatView } from '#core/chat/chat-view.ts';
import type { StoredOperation } from '#core/chat/stored/operation.ts';
import type { FunctionSpec, OperationRights } from '#core/contracts/function-spec.ts';
import { type FunctionName, functions } from '#core/contracts/functions.ts';
import type { Route } from '#core/contracts/route.ts';
import type { OperationCommand } from './command.ts';
import type { Callback, Operation } from './operation.ts';

type MethodAndPath = `${Route['method']} /${string}`;

/**
 * Body of a successful response: a schema, the content type of text or bytes, or a body defined by the MCP
 * specification.
 */
type Output =
  | (() => z.ZodType)
  | 'mcp'
  | { readonly text: 'text/plain' | 'text/markdown' | 'text/html' | 'text/event-stream' | 'application/jsonl' }
  | { readonly bytes: 'audio/*' };

/** Shape of requests and responses. Schemas are functions, because only generators and tests call them. */
export interface Contract<Input extends z.ZodType = z.ZodType, Out extends Output = Output> {
  /** Request body, if any. */
  readonly input?: () => Input;
  /** Default: `application/json`. */
  readonly inputType?:
    | 'application/json'
    | 'application/yaml'
    | 'application/x-www-form-urlencoded'
    | 'multipart/form-data';
  /** Example request body. A test checks it, and requires it for every endpoint with an input. */
  readonly example?: z.input<Input>;
  readonly output: Out;
  /** Example response for operations that tests cannot call, such as callbacks signed by their senders. */
  readonly answer?: unknown;
  /** Status of a successful response. Default: 200. */
  readonly status?: 201 | 202;
  /** True if the endpoint streams events when the body has `stream: true`. */
  readonly streams?: true;
  /** Another possible successful response. */
  readonly also?: { readonly status: 202; readonly description: string };
  /** `messages`: errors use Anthropic's format. */
  readonly errors?: 'messages';
}

export interface Definition<Input extends z.ZodType = z.ZodType, Out extends Output = Output>
  extends Contract<Input, Out>,
    Pick<Route, 'humansOnly' | 'platform' | 'counts' | 'maxBodyBytes' | 'query' | 'repeatable' | 'summary' | 'graph'> {
  /** Method and path, or a list of them for the same operation. */
  readonly route: MethodAndPath | readonly MethodAndPath[];
  /** The function that handles the endpoint. */
  readonly function: FunctionName;
  /** Rights that the function needs for this operation, in addition to those in its own row. */
  readonly rights?: OperationRights;
  /** Default: the surface in the function's row. */
  readonly surface?: Route['surface'];
  readonly role: Route['access'];
  /** Access for agent keys. Default: none on the admin surface, full on the others. */
  readonly agents?: 'yes' | 'own';
  /** OpenAPI operation id. Default: the definition's key. */
  readonly id?: string;
  /** Imports the implementation. Absent if the function has its own handler, as with chat calls and MCP. */
  readonly run?: () => Promise<Operation>;
  /** Imports the view for a chat call. */
  readonly view?: () => Promise<ChatView>;
  /** Imports the implementation for objects stored at a provider. */
  readonly stored?: () => Promise<StoredOperation>;
  /** Imports the implementation for requests signed by their sender. */
  readonly callback?: () => Promise<Callback>;
  /** The agentctl command that shows the response. */
  readonly command?: OperationCommand;
  /** Ids of operations that this one runs and that are normally handled by other functions. */
  readonly runs?: readonly string[];
}

/** Checks a definition's types. */
export const operation = <Input extends z.ZodType, Out extends Output>(
  definition: Definition<Input, Out>,
): Definition<Input, Out> => definition;

/** A route with its contract and implementation. */
export interface Endpoint
  extends Route,
    Contract,
    Pick<Definition, 'command' | 'rights' | 'runs' | 'callback' | 'view' | 'stored'> {
  /** Returns the implementation. */
  readonly run?: () => Operation | Promise<Operation>;
}

/** Returns the endpoints of the given definitions, in the same order. */
export const endpointsOf = (definitions: Readonly<Record<string, Definition>>): readonly Endpoint[] =>
  Object.entries(definitions).flatMap(([key, definition]) =>
    [definition.route].flat().map(endpointAt(key, definition)),
  );

const endpointAt =
  (key: string, { role, function: handledBy, surface: own, id, agents, route: _, ...rest }: Definition) =>
  (place: MethodAndPath): Endpoint => {
    const [method, path] = place.split(' ') as [Route['method'], string];
    const spec: FunctionSpec | undefined = (functions as Partial<Record<FunctionName, FunctionSpec>>)[handledBy];
    const surface = own ?? spec?.surface ?? 'admin';
    const openToAgents = surface === 'gateway' || surface === 'mcp';
    return {
      method,
      path,
      surface,
      handledBy,
      access: role,
      operation: id ?? key,
      agents: agents ?? (openToAgents ? 'yes' : 'no'),
      ...rest,
    };
  };
