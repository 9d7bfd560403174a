/**
 * The parts of the SDK needed by the object store. They have their own file so that a late import bundles only these
 * parts.
 */
export { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
