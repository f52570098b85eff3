/// The style of the page: light, dark, on a telephone and on paper. No `<` and no `&`, so that the
/// page stays well formed.
enum PageStyle {
    static let text = [colors, frame, summary, timeline, sequence, phases, narrow, paper].joined(separator: "\n")

    private static let colors = """
        :root {
          --paper: #f7f6f3; --sheet: #ffffff; --ink: #1d2126; --soft: #5b6470; --rule: #dfdcd5; --tint: #f1efea; --link: #14507f;
          --good: #17653c; --good-tint: #e6f2ea; --bad: #a3271f; --bad-tint: #fae9e6; --care: #7a4d00; --care-tint: #fbf0d9; --line: #8a929c;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #14171b; --sheet: #1b1f25; --ink: #e4e6e9; --soft: #9ea7b2; --rule: #333a43; --tint: #232930; --link: #8fc3f0;
            --good: #7dd3a0; --good-tint: #16291f; --bad: #f59a90; --bad-tint: #331c1a; --care: #e6bd6c; --care-tint: #2e2614; --line: #6d7681;
          }
        }
        """

    private static let frame = """
        * { box-sizing: border-box }
        html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; scroll-padding-top: 1rem }
        @media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto } }
        body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif }
        header, main, footer { max-width: 62rem; margin: 0 auto; padding: 0 1.5rem }
        h1, h2, h3, h4, p, ul, ol, dl, dd { margin: 0; padding: 0 }
        ul, ol { list-style: none }
        h2 { font-size: 1.05rem; font-weight: 650; margin: 0 0 .8rem }
        a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: .15em }
        code, .hex { font-family: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace; font-size: .9em; overflow-wrap: anywhere }
        section { margin: 2.6rem 0 }
        .note, footer { color: var(--soft); font-size: .9rem }
        footer { padding-top: 1rem; padding-bottom: 3rem; border-top: 1px solid var(--rule) }
        :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px }
        """

    private static let summary = """
        .verdict { padding-top: 3.2rem }
        .badge { display: inline-flex; align-items: center; gap: .5rem; font-weight: 650; padding: .2rem .8rem .2rem .3rem; border-radius: 999px }
        .mark { display: inline-grid; place-items: center; width: 1.5rem; height: 1.5rem; border-radius: 50%; background: currentColor }
        .mark { color: inherit; -webkit-text-fill-color: var(--sheet); font-size: .85rem }
        .approved .badge { color: var(--good); background: var(--good-tint) }
        .declined .badge { color: var(--bad); background: var(--bad-tint) }
        .wentOnline .badge, .ended .badge { color: var(--care); background: var(--care-tint) }
        h1 { font-size: clamp(1.35rem, 3.6vw, 2.05rem); line-height: 1.25; font-weight: 650; letter-spacing: -.012em; margin: .9rem 0 1rem; text-wrap: balance }
        .reasons { display: grid; gap: .3rem; max-width: 52rem }
        .reasons li { padding-left: 1.1rem; position: relative }
        .reasons li::before { content: ""; position: absolute; left: .1rem; top: .7em; width: .4rem; height: 1.5px; background: var(--line) }
        .origin { margin-top: 1.2rem; color: var(--soft); font-size: .85rem; overflow-wrap: anywhere }
        .facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); background: var(--sheet); border: 1px solid var(--rule);
          border-radius: 10px; overflow: hidden }
        .facts div { padding: .7rem .9rem; box-shadow: 0 0 0 .5px var(--rule) } .facts .wide { grid-column: 1 / -1 } .facts .wide .words { columns: 18rem }
        .facts .value + .hex { display: block; color: var(--soft); font-size: .8rem }
        .facts dt { color: var(--soft); font-size: .8rem }
        .facts dd { overflow-wrap: anywhere }
        .facts .words { margin: .15rem 0 0; color: var(--soft); font-size: .85rem; line-height: 1.4 }
        ul.odd li { background: var(--care-tint); border-left: 3px solid var(--care); padding: .45rem .8rem; margin-bottom: .4rem; border-radius: 0 6px 6px 0 }
        .line { color: var(--care); font-size: .85rem; font-variant-numeric: tabular-nums }
        .proofs li { padding: .2rem 0; overflow-wrap: anywhere }
        .sign { font-weight: 700 } .right .sign { color: var(--good) } .wrong .sign { color: var(--bad) } .unknown .sign { color: var(--soft) }
        """

    private static let timeline = """
        .timeline { display: grid; gap: .3rem; margin-top: .8rem }
        .timeline li { display: grid; grid-template-columns: 15rem 1fr 5.5rem; gap: .8rem; align-items: center; font-size: .9rem }
        .timeline a { color: inherit; text-decoration-color: var(--rule) }
        .track { position: relative; height: 1.1rem; background: var(--tint); border-radius: 4px; overflow: hidden }
        .track i { position: absolute; top: 2px; bottom: 2px; background: var(--link); border-radius: 2px; opacity: .85 }
        .took { text-align: right; font-variant-numeric: tabular-nums; color: var(--soft) }
        """

    private static let sequence = """
        .sequence { --far: 0px; background: var(--sheet); border: 1px solid var(--rule); border-radius: 10px; padding: 1rem 2.6rem 1.4rem 1rem; font-size: .9rem }
        .sequence .row, .sequence .actors, .sequence .band { display: grid; grid-template-columns: 5.5rem minmax(0, 1fr) }
        .sequence.three .row { grid-template-columns: 5.5rem minmax(0, .62fr) minmax(0, 1fr) }
        .sequence.three .actors { grid-template-columns: 5.5rem minmax(0, .62fr) minmax(0, 1fr) }
        .actors { position: relative }
        .actors b { font-weight: 600; background: var(--tint); border: 1px solid var(--rule); border-radius: 6px; padding: .1rem .7rem; width: max-content }
        .actors .terminal { transform: translateX(-50%); grid-row: 1; grid-column: 2 }
        .actors .card { transform: translateX(50%); justify-self: end; grid-row: 1; grid-column: -2 / -1 }
        .three .actors .host { transform: translateX(-50%); grid-row: 1; grid-column: 2 }
        .three .actors .terminal { grid-column: 3 }
        .meta { color: var(--soft); font-size: .8rem; font-variant-numeric: tabular-nums; align-self: start; padding-top: .5rem; white-space: nowrap }
        .near { border-left: 2px solid var(--rule); border-right: 2px solid var(--rule); padding: .3rem 0 .35rem }
        .far { border-left: 2px solid var(--rule) }
        .band { padding: .1rem 0 } .band a { display: block; background: var(--tint); border-radius: 4px; padding: .1rem .6rem; color: var(--soft); font-size: .8rem;
          font-weight: 600; text-decoration: none; z-index: 1 }
        .band a:hover { color: var(--link) }
        .arrow { position: relative; border-bottom: 1.5px solid var(--line); padding: 0 .8rem; line-height: 1.45; overflow-wrap: anywhere }
        .arrow::after { content: ""; position: absolute; bottom: -5.5px; border: 5px solid transparent }
        .arrow.call::after { right: 0; border-left: 8px solid var(--line); border-right: 0 }
        .arrow.reply { border-bottom-style: dashed; text-align: right; color: var(--soft); font-size: .85rem; font-variant-numeric: tabular-nums }
        .arrow.reply::after { left: 0; border-right: 8px solid var(--line); border-left: 0 }
        .arrow.failed { color: var(--bad); border-bottom-color: var(--bad) } .arrow.failed::after { border-right-color: var(--bad) }
        .arrow.to::after { left: 0; border-right: 8px solid var(--line); border-left: 0 }
        .arrow.from::after { right: 0; border-left: 8px solid var(--line); border-right: 0 }
        .arrow.inferred { border-bottom-style: dotted; color: var(--soft) }
        .far .arrow { margin-top: .3rem }
        .arrow a { color: inherit; text-decoration-color: var(--rule) } .arrow a:hover { color: var(--link) }
        .said { margin: .1rem .8rem; padding: .15rem .7rem; border-radius: 6px; background: var(--tint); font-size: .85rem; overflow-wrap: anywhere }
        .said.reader, .lost { background: var(--care-tint); color: var(--care) } .said.wire { font-family: ui-monospace, monospace; color: var(--soft) }
        .lost { margin: .2rem .8rem; padding: .1rem .7rem; border-radius: 6px; font-size: .85rem }
        """

    private static let phases = """
        .all { margin-left: .6rem; white-space: nowrap; color: var(--link) }
        details.phase { background: var(--sheet); border: 1px solid var(--rule); border-radius: 10px; margin: .6rem 0; padding: 0 1rem }
        summary { cursor: pointer }
        .phase > summary { padding: .7rem 0; display: flex; gap: .8rem; align-items: baseline; list-style: none }
        .phase > summary::before, .exchange > summary::before { content: "›"; color: var(--soft); font-weight: 700; width: .8rem; flex: none }
        .phase[open] > summary::before, .exchange[open] > summary::before { transform: rotate(90deg) }
        summary::-webkit-details-marker { display: none }
        h3 { font-size: 1rem; font-weight: 600; display: inline }
        h4 { font-size: .8rem; font-weight: 600; color: var(--soft); margin: .8rem 0 .2rem }
        .extent { margin-left: auto; color: var(--soft); font-size: .85rem; text-align: right }
        .inside, .bytes { scroll-margin-top: 4rem }
        .conclusions { padding: 0 0 .7rem 1.6rem }
        .remark { padding: .25rem 0 .25rem 1.6rem; font-size: .9rem; overflow-wrap: anywhere } .remark b { color: var(--soft); font-weight: 600 }
        .exchange { border-top: 1px solid var(--rule) }
        .exchange > summary { display: flex; gap: .8rem; align-items: baseline; padding: .45rem 0; list-style: none }
        .command { overflow-wrap: anywhere } .place { margin-left: auto; color: var(--soft); font-size: .8rem; white-space: nowrap }
        .status { font-family: ui-monospace, monospace; font-size: .85rem; color: var(--good) } .status.failed { color: var(--bad); font-weight: 600 }
        .bytes { padding: 0 0 1rem 1.6rem }
        .parts { display: flex; flex-wrap: wrap; gap: .4rem }
        .part { background: var(--tint); border-radius: 6px; padding: .25rem .55rem; display: inline-flex; flex-direction: column; min-width: 2.6rem; max-width: 100% }
        .part b { font-size: .7rem; font-weight: 600; color: var(--soft) } .part small { font-size: .75rem; color: var(--soft) }
        .notes, .meaning { font-size: .9rem; padding-top: .3rem } .meaning.failed { color: var(--bad) }
        .tlv { margin: .5rem 0 0; font-size: .9rem } .tlv .tlv { margin: .1rem 0 .2rem .3rem; padding-left: .9rem; border-left: 2px solid var(--rule) }
        .tlv > li { padding: .22rem 0 }
        .tag { color: var(--link); font-weight: 600 } .length { color: var(--soft); font-size: .8rem }
        .tlv .value { display: block; padding-left: .1rem }
        ul.words { color: var(--soft); font-size: .88rem; padding-left: .1rem; line-height: 1.45 } .words .inner { padding-left: 1.2rem }
        .words li { overflow-wrap: anywhere }
        .bit { display: inline-block; min-width: 1.9rem; font-variant-numeric: tabular-nums; color: var(--ink); font-size: .8rem }
        .state { display: inline-block; width: 1.1rem; font-family: ui-monospace, monospace } .set { color: var(--ink); font-weight: 600 }
        .every summary { font-size: .8rem; color: var(--link); list-style: none }
        body:has(#open-all:checked) :is(.phase, .exchange)::details-content { content-visibility: visible; block-size: auto }
        """

    private static let narrow = """
        @media (max-width: 42rem) {
          header, main, footer { padding: 0 1rem }
          .verdict { padding-top: 1.6rem }
          section { margin: 2rem 0 }
          .facts { grid-template-columns: 1fr 1fr } .facts div:has(.words) { grid-column: 1 / -1 }
          .timeline li { grid-template-columns: 1fr auto; gap: 0 .6rem } .track { grid-column: 1 / -1; grid-row: 2 }
          .sequence { padding: .8rem 1.6rem 1rem 1.4rem; font-size: .82rem }
          .sequence .row, .sequence .band, .sequence .actors { grid-template-columns: minmax(0, 1fr) }
          .sequence.three .row, .sequence.three .actors { grid-template-columns: minmax(0, .5fr) minmax(0, 1fr) }
          .actors .terminal { grid-column: 1 } .three .actors .host { grid-column: 1 } .three .actors .terminal { grid-column: 2 }
          .sequence .meta { display: none } .actors b { padding: .1rem .4rem }
          .arrow { padding: 0 .5rem }
          .phase { padding: 0 .7rem } .phase > summary, .exchange > summary { flex-wrap: wrap; gap: .1rem .6rem }
          .extent, .place { margin-left: 1.3rem; width: 100%; text-align: left }
          .bytes, .conclusions, .remark { padding-left: .3rem }
        }
        """

    private static let paper = """
        @page { margin: 16mm 14mm; @bottom-right { content: "page " counter(page) " of " counter(pages); font-size: 8pt } }
        @media print {
          :root { --paper: #fff; --sheet: #fff; --ink: #000; --soft: #444; --rule: #bbb; --tint: #f2f2f2; --link: #123a5a; --good: #0f4d2c; --good-tint: #fff; --bad: #8a1c14;
            --bad-tint: #fff; --care: #5f3c00; --care-tint: #fff; --line: #555; color-scheme: light }
          body { font-size: 9.5pt; print-color-adjust: exact }
          header, main, footer { max-width: none; padding: 0 }
          .verdict { padding-top: 0 } section { margin: 1.4rem 0 }
          .all, .every { display: none }
          .phase::details-content, .exchange::details-content { content-visibility: visible; block-size: auto }
          @supports not selector(::details-content) { details:not([open]) > summary::after { content: " (folded: open it before printing)"; color: var(--soft) } }
          .phase { border: 0; border-top: 1px solid var(--ink); border-radius: 0; padding: 0 }
          .row, .facts div, .tlv > li, .parts, summary { break-inside: avoid } h2, h3, h4, summary { break-after: avoid }
          a { color: inherit; text-decoration: none }
        }
        """
}
