/// The pages' Mustache templates, and their style.
enum Templates {
    /// A whole page around a body.
    static func page(_ body: String) -> String {
        """
        {{% CONTENT_TYPE: \(ScalarEscaping.name)}}<!doctype html>
        <html lang="{{language}}">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>{{submit}} - {{merchant}}</title>
        <style nonce="{{nonce}}">{{{style}}}</style>
        </head>
        <body>
        <header>{{bar}}</header>
        <main>
        \(body)
        </main>
        </body>
        </html>

        """
    }

    /// The summary of faults gets the focus without a script.
    static let form = """
        <h1>{{merchant}}</h1>
        {{#hasFaults}}
        <div class="faults" role="alert" tabindex="-1" autofocus>
        <h2>{{summary}}</h2>
        <ul>
        {{#faults}}
        <li><a href="#{{id}}">{{label}}: {{fault}}</a></li>
        {{/faults}}
        </ul>
        </div>
        {{/hasFaults}}
        <p>{{allRequired}}</p>
        <form method="post" action="{{action}}" novalidate>
        <input type="hidden" name="session" value="{{session}}">
        {{#fields}}
        <p>
        <label for="{{id}}">{{label}}</label>
        {{#hasHint}}
        <span class="hint" id="{{id}}-hint">{{hint}}</span>
        {{/hasHint}}
        {{#isFaulty}}
        <span class="fault" id="{{id}}-fault">{{fault}}</span>
        {{/isFaulty}}
        <input type="text" id="{{id}}" name="{{id}}" autocomplete="{{autocomplete}}" inputmode="{{inputmode}}" \
        maxlength="{{maxlength}}" value="{{value}}" aria-describedby="{{describedBy}}"\
        {{#isFaulty}} aria-invalid="true"{{/isFaulty}} required>
        </p>
        {{/fields}}
        <p><button type="submit">{{submit}}</button></p>
        <p><button type="submit" name="cancel" value="1" class="plain">{{cancel}}</button></p>
        </form>
        """

    static let challenge = """
        <h1>{{merchant}}</h1>
        <p>{{words}}</p>
        <form method="post" action="{{action}}">
        <input type="hidden" name="creq" value="{{creq}}">
        <input type="hidden" name="threeDSSessionData" value="{{sessionData}}">
        <p><button type="submit">{{submit}}</button></p>
        </form>
        """

    /// The pairs of colors have at least 4.5:1, borders 3:1 (WCAG 2.2, 1.4.3 and 1.4.11).
    static func style(_ theme: PageTheme) -> String {
        let (text, background, field, border, fault) =
            theme.isDark
            ? ("#f2f2f2", "#121212", "#1e1e1e", "#8c8c8c", "#ff9a94")
            : ("#1a1a1a", "#ffffff", "#ffffff", "#6b6b6b", "#b3160c")
        let (bar, button) = (theme.toolbarTextColor, theme.buttonTextColor)
        return """
            *{box-sizing:border-box}
            body{margin:0;font:1rem/1.5 \(theme.fontFamily.css);color:\(text);background:\(background)}
            header{padding:.75rem 1rem;color:\(bar.css);background:\(bar.background.css)}
            main{max-width:30rem;margin:0 auto;padding:1rem}
            h1{font-size:1.4rem}
            label,.hint,.fault{display:block}
            label{font-weight:600}
            .fault,.faults a{color:\(fault)}
            .faults{border:2px solid \(fault);padding:0 1rem}
            input{width:100%;min-height:2.75rem;padding:.5rem;font:inherit;color:\(text);background:\(field);\
            border:1px solid \(border)}
            button{width:100%;min-height:2.75rem;font:inherit;font-weight:600;border:2px solid \(button.css);\
            color:\(button.css);background:\(button.background.css);outline-offset:2px}
            button.plain{color:\(text);background:\(background);border:1px solid \(border)}
            :focus-visible{outline:3px solid \(text);outline-offset:2px}
            """
    }
}
