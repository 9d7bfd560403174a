/** The parts of the SDK for the object store, in a file of their own: a late import of it bundles nothing else of the SDK. */
export { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
