;; An example filter: flags a text that contains the word "confidential", in upper or lower case (ASCII).
;; README.md says how filters are called, built and configured.
(module
  ;; The host places the content here: 1 page now, 64 MiB at most. Filters must declare a maximum.
  (memory (export "memory") 1 1024)

  (data (i32.const 16) "confidential")
  (global $word i32 (i32.const 16))
  (global $word_length i32 (i32.const 12))

  (data (i32.const 64) "{\"action\":\"block\",\"message\":\"the text contains the word confidential\"}")
  (func (export "get_result_ptr") (result i32) (i32.const 64))
  (func (export "get_result_len") (result i32) (i32.const 70))

  ;; Every call gets a fresh instance, so memory is only ever handed out. 0 says that there is no more.
  (global $free (mut i32) (i32.const 1024))
  (func (export "alloc") (param $size i32) (result i32)
    (local $start i32) (local $end i32) (local $pages i32)
    (local.set $start (global.get $free))
    (local.set $end (i32.add (local.get $start) (local.get $size)))
    (if (i32.lt_u (local.get $end) (local.get $start)) (then (return (i32.const 0))))
    (local.set $pages (i32.add (i32.shr_u (local.get $end) (i32.const 16)) (i32.const 1)))
    (if (i32.gt_u (local.get $pages) (memory.size))
      (then
        (if (i32.eq (memory.grow (i32.sub (local.get $pages) (memory.size))) (i32.const -1))
          (then (return (i32.const 0))))))
    (global.set $free (local.get $end))
    (local.get $start))

  (func (export "check")
    (param $content i32) (param $content_length i32) (param $metadata i32) (param $metadata_length i32) (result i32)
    (local $at i32) (local $last i32)
    (if (i32.lt_u (local.get $content_length) (global.get $word_length)) (then (return (i32.const 0))))
    (local.set $at (local.get $content))
    (local.set $last
      (i32.sub (i32.add (local.get $content) (local.get $content_length)) (global.get $word_length)))
    (loop $next
      (if (call $word_stands_at (local.get $at)) (then (return (i32.const 1))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $next (i32.le_u (local.get $at) (local.get $last))))
    (i32.const 0))

  (func $word_stands_at (param $at i32) (result i32)
    (local $i i32)
    (loop $next
      (if (i32.ne
            (call $lower (i32.load8_u (i32.add (local.get $at) (local.get $i))))
            (i32.load8_u (i32.add (global.get $word) (local.get $i))))
        (then (return (i32.const 0))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $i) (global.get $word_length))))
    (i32.const 1))

  (func $lower (param $byte i32) (result i32)
    (select
      (i32.add (local.get $byte) (i32.const 32))
      (local.get $byte)
      (i32.lt_u (i32.sub (local.get $byte) (i32.const 65)) (i32.const 26)))))
