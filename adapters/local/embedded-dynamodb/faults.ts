/** The errors of DynamoDB, as its client throws them: by class if callers distinguish them by class, else by name. */
import {
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  IdempotentParameterMismatchException,
  InternalServerError,
  ResourceInUseException,
  ResourceNotFoundException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import type { Item } from './attribute.ts';

/** A member of `CancellationReasons`. */
export interface Reason {
  readonly Code: string;
  readonly Message?: string;
  readonly Item?: Item;
}

const refused = { httpStatusCode: 400, attempts: 1 };

export const invalid = (message: string): DynamoDBServiceException =>
  new DynamoDBServiceException({ name: 'ValidationException', message, $fault: 'client', $metadata: refused });

export const oneInvalid = (message: string): DynamoDBServiceException =>
  invalid(`One or more parameter values were invalid: ${message}`);

export const conditionFailed = (item: Item | undefined): ConditionalCheckFailedException =>
  Object.assign(
    new ConditionalCheckFailedException({ message: conditionMessage, $metadata: refused }),
    item && { Item: item },
  );

export const conditionMessage = 'The conditional request failed';

export function cancelled(reasons: readonly Reason[]): TransactionCanceledException {
  const codes = reasons.map(({ Code }) => Code).join(', ');
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return Object.assign(new TransactionCanceledException({ message, $metadata: refused }), {
    CancellationReasons: [...reasons] as never,
  });
}

export const tokenReused = (): IdempotentParameterMismatchException =>
  new IdempotentParameterMismatchException({
    message: 'The client request token was used before with other parameters',
    $metadata: refused,
  });

export const noTable = (what = 'Requested resource not found'): ResourceNotFoundException =>
  new ResourceNotFoundException({ message: what, $metadata: refused });

export const tableExists = (name: string): ResourceInUseException =>
  new ResourceInUseException({ message: `Table already exists: ${name}`, $metadata: refused });

/** Returns the fault of the underlying database: no part of the request was stored. */
export const broken = (cause: unknown): InternalServerError =>
  Object.assign(
    new InternalServerError({
      message: `The embedded store did not write: ${(cause as Error).message}`,
      $metadata: { httpStatusCode: 500, attempts: 1 },
    }),
    { cause },
  );

export const isFault = (thrown: unknown): thrown is DynamoDBServiceException =>
  thrown instanceof DynamoDBServiceException;
