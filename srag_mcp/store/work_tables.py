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
  "end" BIGINT, context VARCHAR, unit VARCHAR, engine VARCHAR, note VARCHAR, marks VARCHAR);
ALTER TABLE cells ADD COLUMN IF NOT EXISTS marks VARCHAR DEFAULT '';
CREATE TABLE IF NOT EXISTS extractions (
  document_id VARCHAR, sha256 VARCHAR, schema_hash VARCHAR, extracted_at TIMESTAMP);
CREATE TABLE IF NOT EXISTS predictions (
  document_id VARCHAR, sha256 VARCHAR, attribute VARCHAR, attribute_hash VARCHAR, state VARCHAR,
  as_stated VARCHAR, start BIGINT, "end" BIGINT, value VARCHAR, unit VARCHAR, engine VARCHAR,
  note VARCHAR, unanswered BOOLEAN, marks VARCHAR, n_read BIGINT);
ALTER TABLE predictions ADD COLUMN IF NOT EXISTS marks VARCHAR;
ALTER TABLE predictions ADD COLUMN IF NOT EXISTS n_read BIGINT;
"""
MARKS_OF_NOTES = """
UPDATE predictions SET
  n_read = TRY_CAST(
    replace(regexp_extract(note, '^read in part: ([0-9,]+)', 1), ',', '') AS BIGINT),
  marks = concat_ws(' ',
    CASE WHEN contains(note, 'derived: the quote') THEN 'derived' END,
    CASE WHEN contains(note, 'doubted: ') THEN 'doubted' END,
    CASE WHEN starts_with(note, 'looked at again and kept') THEN 'kept' END,
    CASE WHEN starts_with(note, 'read in part: ') THEN 'read_in_part' END,
    CASE WHEN starts_with(note, 'standardised: ') THEN 'standardised' END,
    CASE WHEN starts_with(note, 'does not fit its column, and no') THEN 'unsettled' END)
"""
"""What 16a3ebc told in notes: marks, and how much of a document was read."""
