/**
 * PostgreSQL functions that only compute, or read the catalogue and the session, so that calling them is not a separate
 * effect [effects.sql-closed-world].
 */

/** Function names by subject. */
export const harmlessFunctions: Readonly<Record<string, readonly string[]>> = {
  'Aggregates and windows': names(`
    any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or count every json_agg json_agg_strict
    json_object_agg json_object_agg_strict json_object_agg_unique json_object_agg_unique_strict jsonb_agg jsonb_agg_strict
    jsonb_object_agg jsonb_object_agg_strict jsonb_object_agg_unique jsonb_object_agg_unique_strict max min range_agg
    range_intersect_agg string_agg sum xmlagg corr covar_pop covar_samp regr_avgx regr_avgy regr_count regr_intercept
    regr_r2 regr_slope regr_sxx regr_sxy regr_syy stddev stddev_pop stddev_samp variance var_pop var_samp mode
    percentile_cont percentile_disc rank dense_rank percent_rank cume_dist grouping row_number ntile lag lead first_value
    last_value nth_value`),
  Numbers: names(`
    abs cbrt ceil ceiling degrees div erf erfc exp factorial floor gamma gcd lcm lgamma ln log log10 min_scale mod
    pi power pow radians round scale sign sqrt trim_scale trunc width_bucket random random_normal acos acosd asin asind atan
    atand atan2 atan2d cos cosd cot cotd sin sind tan tand sinh cosh tanh asinh acosh atanh int4 int8 int2 numeric float4
    float8`),
  'Texts and bytes': names(`
    ascii bit_count bit_length btrim casefold char_length character_length chr concat concat_ws convert
    convert_from convert_to crc32 crc32c decode encode format get_bit get_byte initcap is_normalized left length like_escape
    lower lpad ltrim md5 normalize octet_length overlay parse_ident position quote_ident quote_literal quote_nullable
    regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array
    regexp_split_to_table regexp_substr repeat replace reverse right rpad rtrim set_bit set_byte sha224 sha256 sha384
    sha512 similar_escape similar_to_escape split_part starts_with string_to_array string_to_table strpos substr substring
    to_ascii to_bin to_hex to_oct translate trim unicode_assigned unistr upper text varchar bpchar char name`),
  'Dates and times': names(`
    age clock_timestamp date date_add date_bin date_part date_subtract date_trunc extract isfinite justify_days
    justify_hours justify_interval make_date make_interval make_time make_timestamp make_timestamptz now
    statement_timestamp timeofday timezone to_char to_date to_number to_timestamp transaction_timestamp timestamp
    timestamptz time interval overlaps`),
  'Arrays, ranges, JSON, XML, search, geometry, addresses, identifiers': names(`
    array_append array_cat array_dims array_fill array_length array_lower array_ndims array_position
    array_positions array_prepend array_remove array_replace array_reverse array_sample array_shuffle array_sort
    array_to_json array_to_string array_upper cardinality trim_array unnest generate_series generate_subscripts lower_inc
    lower_inf upper_inc upper_inf isempty range_merge multirange int4range int8range numrange tsrange tstzrange daterange
    int4multirange int8multirange nummultirange tsmultirange tstzmultirange datemultirange
    json_array_elements json_array_elements_text json_array_length json_build_array json_build_object json_each
    json_each_text json_extract_path json_extract_path_text json_object json_object_keys 
    json_scalar json_serialize json_strip_nulls json_to_record json_to_recordset json_typeof
    jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_concat
    jsonb_each jsonb_each_text jsonb_extract_path jsonb_extract_path_text jsonb_insert jsonb_object jsonb_object_keys
    jsonb_path_exists jsonb_path_exists_tz jsonb_path_match jsonb_path_match_tz jsonb_path_query jsonb_path_query_array
    jsonb_path_query_array_tz jsonb_path_query_first jsonb_path_query_first_tz jsonb_path_query_tz 
    jsonb_pretty jsonb_set jsonb_set_lax jsonb_strip_nulls jsonb_to_record jsonb_to_recordset
    jsonb_typeof row_to_json to_json to_jsonb xml_is_well_formed xml_is_well_formed_content xml_is_well_formed_document
    xmlcomment xmlconcat xmlexists xmltext xpath xpath_exists array_to_tsvector get_current_ts_config
    numnode phraseto_tsquery plainto_tsquery querytree setweight strip to_tsquery to_tsvector json_to_tsvector
    jsonb_to_tsvector ts_delete ts_filter ts_headline ts_rank ts_rank_cd tsquery_phrase tsvector_to_array
    websearch_to_tsquery area box center circle diagonal diameter height isclosed isopen line lseg npoints path pclose
    point polygon popen radius slope width bound_box broadcast family host hostmask inet_merge inet_same_family masklen
    netmask network set_masklen macaddr8_set7bit abbrev gen_random_uuid uuidv4 uuidv7 uuid_extract_timestamp
    uuid_extract_version enum_first enum_last enum_range num_nonnulls num_nulls hashtext`),
  'The catalogue and the session, looked at only': names(`
    version current_database current_catalog current_query current_schema current_schemas current_role current_user
    session_user user inet_client_addr inet_client_port inet_server_addr inet_server_port currval lastval
    has_any_column_privilege has_column_privilege has_database_privilege has_foreign_data_wrapper_privilege
    has_function_privilege has_language_privilege has_parameter_privilege has_schema_privilege has_sequence_privilege
    has_server_privilege has_table_privilege has_tablespace_privilege has_type_privilege pg_has_role row_security_active
    col_description obj_description shobj_description format_type to_regclass to_regcollation to_regnamespace to_regoper
    to_regoperator to_regproc to_regprocedure to_regrole to_regtype to_regtypemod pg_backend_pid pg_char_to_encoding
    pg_client_encoding pg_collation_for pg_collation_is_visible pg_column_compression pg_column_size pg_conf_load_time
    pg_database_size pg_describe_object pg_encoding_to_char pg_function_is_visible pg_get_catalog_foreign_keys
    pg_get_constraintdef pg_get_expr pg_get_function_arguments pg_get_function_identity_arguments pg_get_function_result
    pg_get_functiondef pg_get_indexdef pg_get_keywords pg_get_partkeydef pg_get_ruledef pg_get_serial_sequence
    pg_get_statisticsobjdef pg_get_triggerdef pg_get_userbyid pg_get_viewdef pg_index_column_has_property
    pg_index_has_property pg_indexam_has_property pg_indexes_size pg_is_in_recovery
    pg_opclass_is_visible pg_operator_is_visible pg_partition_ancestors pg_partition_root pg_partition_tree
    pg_postmaster_start_time pg_relation_size pg_sequence_last_value pg_size_bytes pg_size_pretty 
    pg_table_is_visible pg_table_size pg_tablespace_size pg_total_relation_size pg_type_is_visible pg_typeof`),
};

function names(words: string): readonly string[] {
  return words.trim().split(/\s+/);
}
