/**
 * Commands for rows. Each holds an operation and its input, so that functions start without the SDK; an SDK client also
 * accepts them, and loads its own command.
 */
import type * as dynamodb from '@aws-sdk/client-dynamodb';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import type { sdkCommands } from '../sdk/dynamodb.ts';

type CommandName = keyof typeof sdkCommands;

export const dynamoSdk = lazyImport(() => import('../sdk/dynamodb.ts'));

export abstract class RowCommand {
  abstract readonly operation: string;
  readonly input: object;

  constructor(input: object) {
    this.input = input;
  }
}

/** Returns a class with the type and name of the SDK's class. */
function commandNamed<N extends CommandName>(name: N): (typeof sdkCommands)[N] {
  const classes = {
    [name]: class extends RowCommand {
      readonly operation = name.slice(0, -'Command'.length);

      resolveMiddleware(...given: unknown[]) {
        return async (request: object) => {
          const { sdkCommands } = await dynamoSdk();
          const command = new (sdkCommands[name] as new (input: object) => object)(this.input);
          const resolved = command as { resolveMiddleware(...given: unknown[]): (request: object) => unknown };
          return resolved.resolveMiddleware(...given)(Object.assign(request, { input: this.input }));
        };
      }
    },
  };
  return classes[name] as unknown as (typeof sdkCommands)[N];
}

export const GetItemCommand = commandNamed('GetItemCommand');
export const PutItemCommand = commandNamed('PutItemCommand');
export const UpdateItemCommand = commandNamed('UpdateItemCommand');
export const DeleteItemCommand = commandNamed('DeleteItemCommand');
export const QueryCommand = commandNamed('QueryCommand');
export const BatchGetItemCommand = commandNamed('BatchGetItemCommand');
export const BatchWriteItemCommand = commandNamed('BatchWriteItemCommand');
export const TransactWriteItemsCommand = commandNamed('TransactWriteItemsCommand');

export type TransactionInput = dynamodb.TransactWriteItemsCommandInput;
