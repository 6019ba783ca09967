"""The tables of the work database that the ingestion fills document by document."""

WORK_TABLES = """
CREATE TABLE IF NOT EXISTS meta (key VARCHAR, value VARCHAR);
CREATE TABLE IF NOT EXISTS files (
  path VARCHAR, size BIGINT, mtime_ns BIGINT, rows BOOLEAN, error VARCHAR);
ALTER TABLE files ADD COLUMN IF NOT EXISTS told VARCHAR;
ALTER TABLE files ADD COLUMN IF NOT EXISTS passing BOOLEAN;
CREATE TABLE IF NOT EXISTS documents (
  document_id VARCHAR, path VARCHAR, title VARCHAR, media_type VARCHAR, sha256 VARCHAR,
  text VARCHAR, ingested_at TIMESTAMP);
CREATE TABLE IF NOT EXISTS cells (
  document_id VARCHAR, attribute VARCHAR, state VARCHAR, as_stated VARCHAR, start BIGINT,
  "end" BIGINT, context VARCHAR, unit VARCHAR, engine VARCHAR, note VARCHAR);
CREATE TABLE IF NOT EXISTS extractions (
  document_id VARCHAR, sha256 VARCHAR, schema_hash VARCHAR, extracted_at TIMESTAMP);
CREATE TABLE IF NOT EXISTS predictions (
  document_id VARCHAR, sha256 VARCHAR, attribute VARCHAR, attribute_hash VARCHAR, state VARCHAR,
  as_stated VARCHAR, start BIGINT, "end" BIGINT, value VARCHAR, unit VARCHAR, engine VARCHAR,
  note VARCHAR, unanswered BOOLEAN);
"""
